const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** The names of the placeholders in a template's text, in order. */
export function placeholdersIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
}

/** The message that the recipient reads. A variable without a value stays as it is. */
export function renderedText(text: string, variables: readonly string[], params: readonly string[]): string {
  const positionOf = (name: string) => (/^\d+$/.test(name) ? Number(name) - 1 : variables.indexOf(name));
  return text.replace(placeholder, (whole, name: string) => params[positionOf(name)] ?? whole);
}
