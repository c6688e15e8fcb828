/** §2: `+` and digits. The document has no other rule. */
export function isPhone(text: string): boolean {
  return /^\+[0-9]+$/.test(text);
}

/** Converts a phone number to the form of the document; undefined if that is ambiguous. */
export function normalizedPhone(text: string): string | undefined {
  const bare = text.replace(/\(0\)|[\s().\-/\u00a0]/g, '').replace(/^00/, '+');
  // Without a +, only a number of this length is likely to have a country code.
  const marked = /^\d{11,15}$/.test(bare) ? `+${bare}` : bare;
  return /^\+[1-9]\d{6,14}$/.test(marked) ? marked : undefined;
}
