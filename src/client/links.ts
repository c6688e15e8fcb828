/** The target of the first link whose relation is `next`, in a Link header (RFC 8288). */
export function linkNext(header: string): string | undefined {
  const links = header.matchAll(
    /<([^>]*)>((?:\s*;\s*[\w*!#$%&'+.^`|~-]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/g,
  );
  for (const [, target, params = ''] of links) if (relations(params).includes('next')) return target;
  return undefined;
}

function relations(params: string): string[] {
  const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i.exec(params) ?? [];
  return (quoted ?? bare ?? '').toLowerCase().split(/\s+/);
}
