const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** The names of the placeholders in a template's text, in order. */
export function placeholdersIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
}

/** The message that the recipient reads. A variable without a value stays as it is. */
export function renderedText(text: string, variables: readonly string[], params: readonly string[]): string {
  return text.replace(placeholder, (whole, name: string) => params[positionOf(name, variables)] ?? whole);
}

/** Part of a message: fixed text, or the value of a variable. */
export interface TextPart {
  readonly text: string;
  /** The name of the variable; undefined for fixed text. */
  readonly variable?: string;
}

/** The parts of `renderedText`, to mark the variables. */
export function textParts(text: string, variables: readonly string[], params: readonly string[]): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: whole, 1: name = '', index } of text.matchAll(placeholder)) {
    if (index > end) parts.push({ text: text.slice(end, index) });
    const position = positionOf(name, variables);
    parts.push({ text: params[position] ?? whole, variable: variables[position] ?? name });
    end = index + whole.length;
  }
  return end < text.length ? [...parts, { text: text.slice(end) }] : parts;
}

function positionOf(name: string, variables: readonly string[]): number {
  return /^\d+$/.test(name) ? Number(name) - 1 : variables.indexOf(name);
}
