/** Deeper than anybody's records; walking what is much deeper would exhaust the stack. */
const deepest = 500;

/** JSON from outside. */
export function parseJson(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  if (text.length > deepest && depthOf(text) > deepest) throw new SyntaxError(`it nests deeper than ${deepest} levels`);
  const value: unknown = JSON.parse(text, revive);
  return value;
}

function depthOf(text: string): number {
  let [depth, most, quoted] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '[' || character === '{')) most = Math.max(most, ++depth);
    else if (!quoted && (character === ']' || character === '}')) depth--;
  }
  return most;
}
