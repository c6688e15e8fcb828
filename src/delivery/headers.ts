/** Names and values as received, in order. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** The headers by their lower-case names; values of repeated headers are joined. */
export function headerMap(headers: Headers): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = map.get(key);
    map.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return map;
}

export function headerOf(headers: Headers, name: string): string | undefined {
  return headerMap(headers).get(name);
}
