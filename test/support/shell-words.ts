/** Splits a command line into words like a shell, without its redirected stdin. */
export function words(line: string): readonly string[] {
  const matches = line.replace(/ < \S+$/, '').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g);
  return [...matches].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}
