const opening = /^[[{]$/;
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/** JSON laid out over lines, with all that it says as it was written: parsed, a long number would become another. */
export function prettyJson(json: string): string {
  let [text, depth, before] = ['', 0, ''];
  const indent = () => `\n${'  '.repeat(depth)}`;
  for (const [part] of json.matchAll(token)) {
    const closes = part === ']' || part === '}';
    if (closes) depth -= 1;
    const begins = opening.test(before) || before === ',';
    if (closes ? !opening.test(before) : begins) text += indent();
    text += part === ':' ? ': ' : part;
    if (opening.test(part)) depth += 1;
    before = part;
  }
  return text;
}
