/** Splits a command line into words like a shell, without its redirected stdin. */
export function words(line: string): readonly string[] {
  const found = line.replace(/ < \S+$/, '').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g);
  return [...found].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}
