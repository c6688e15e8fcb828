/** True for names that are safe to print: they cannot be a phone number, an email address or a key. */
export function isPlain(name: string): boolean {
  return name.length <= 60 && !/(?:\d\D*){4}|sk_(?:test|live)_|[^@]@/i.test(name);
}
