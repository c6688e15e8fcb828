/** The number in a field; undefined if it is empty. */
export function numberIn(given: FormData, name: string): number | undefined {
  const text = given.get(name);
  return typeof text === 'string' && text !== '' ? Number(text) : undefined;
}
