/** Names and values as received, in order. */
export type Headers = readonly (readonly [name: string, value: string])[];

let [lastHeaders, lastMap]: [Headers, ReadonlyMap<string, string>] = [[], new Map()];

/**
 * The headers by their lower-case names; values of repeated headers are joined. Caches the last result, since the headers
 * of an event are read many times in a row.
 */
export function headerMap(headers: Headers): ReadonlyMap<string, string> {
  if (headers !== lastHeaders) [lastHeaders, lastMap] = [headers, mapOf(headers)];
  return lastMap;
}

function mapOf(headers: Headers): ReadonlyMap<string, string> {
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
