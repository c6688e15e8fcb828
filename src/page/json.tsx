import { marked, Text } from './text.tsx';

/** Longer texts are not colored. */
const mostColored = 20_000;
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** A value as JSON, in colors. */
export function Json({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? '';
  return <pre class="json">{text.length > mostColored ? <Text parts={[{ text }]} /> : colored(text)}</pre>;
}

/** A value that does not fit wraps as a whole, and its line is indented further. */
function colored(text: string) {
  return text.split('\n').map((line) => {
    const indent = `${line.search(/\S/) + 2}ch`;
    return <span style={{ paddingInlineStart: indent, textIndent: `-${indent}` }}>{partsOf(line)}</span>;
  });
}

function partsOf(text: string) {
  const parts = [];
  let end = 0;
  for (const { 0: whole, 1: string, 2: colon, 3: number, index } of text.matchAll(token)) {
    const kind = string === undefined ? (number === undefined ? 'literal' : 'number') : colon ? 'key' : 'string';
    parts.push(text.slice(end, index), <span class={kind}>{marked(string ?? whole)}</span>, colon ?? '');
    end = index + whole.length;
  }
  return [...parts, text.slice(end)];
}
