/** §2: `+` and digits, and nothing else is excluded. */
export function isPhone(text: string): boolean {
  return /^\+[0-9]+$/.test(text);
}

/** The document's form of what surely is a number in another one. */
export function repairedPhone(text: string): string | undefined {
  const bare = text.replace(/\(0\)|[\s().\-/\u00a0]/g, '').replace(/^00/, '+');
  // Without its + the country is anybody's guess, but for a number that only lost that.
  const marked = /^\d{11,15}$/.test(bare) ? `+${bare}` : bare;
  return /^\+[1-9]\d{6,14}$/.test(marked) ? marked : undefined;
}
