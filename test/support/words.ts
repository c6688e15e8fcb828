/** The words of a command line as a shell has them; what comes from a file is left out. */
export function words(line: string): readonly string[] {
  const found = line.replace(/ < \S+$/, '').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g);
  return [...found].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}
