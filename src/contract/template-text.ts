const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** The names of the placeholders in a template's text, in order. */
export function placeholdersIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
}

/** The message that the recipient reads. A variable without a value stays as it is. */
export function renderedText(text: string, variables: readonly string[], params: readonly string[]): string {
  return text.replace(placeholder, (whole, name: string) => params[positionOf(name, variables)] ?? whole);
}

function positionOf(name: string, variables: readonly string[]): number {
  return /^\d+$/.test(name) ? Number(name) - 1 : variables.indexOf(name);
}
