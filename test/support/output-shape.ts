const prefixes = 'msg_sandbox|con_sandbox|tpl_sandbox|cmp_sandbox|ord_sandbox|evt|key|whk|flt|dlv';
const variables: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{12}\b/g, 'RUN'],
  [/\b20\d\d-(?:…|\d\d-\d\dT(?:…|[\d:.]+Z))/g, 'TIME'],
  [new RegExp(`\\b(${prefixes})_[0-9a-z]+`, 'g'), '$1_ID'],
  [/(sk_(?:test|live)_)…\w{4}/g, '$1LAST'],
  [/\b[\d.]+ m?s\b/g, 'SOME TIME'],
  [/\d+(?:\.\d+)*/g, 'N'],
];

/** Replaces the parts of an output that change: times, ids and numbers. */
export function shaped(text: string): string {
  return variables.reduce(
    (left, [pattern, name]) => left.replace(pattern, name),
    text.replace(/\s+$/gm, (end) => '\n'.repeat(end.split('\n').length - 1)).trimEnd(),
  );
}

/** Matches outputs like the sample: `…` matches anything, and on its own line any number of lines. */
export function shapeOf(sample: string): RegExp {
  return abridged(shaped(sample), '.*');
}

/** Matches a text in which a line `…` stands for any lines, and `…` within a line for the given pattern. */
export function abridged(text: string, inLine = '…'): RegExp {
  const lines = text.split('\n');
  const parts = lines.map((line) => (line.trim() === '…' ? '(?:.*\n)*.*' : escaped(line).replaceAll('…', inLine)));
  return new RegExp(`^${parts.join('\n')}$`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
