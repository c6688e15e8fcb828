/** What may be told of a name that a service gave: not what may well be a number, an address or a key. */
export function isPlain(name: string): boolean {
  return name.length <= 60 && !/(?:\d\D*){4}|sk_(?:test|live)_|[^@]@/i.test(name);
}
