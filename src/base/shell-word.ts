// What a terminal acts on or hides; tabs and line feeds are safe within quotes, which every shell knows.
const acting =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** A word as a shell takes it in one piece, since hints are pasted. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quotedWord(word);
}

/** The same, always in quotes: in those of POSIX, or `$'…'` of bash, zsh and ksh where a terminal would act on it. */
export function quotedWord(word: string): string {
  const plain = `'${word.replaceAll("'", String.raw`'\''`)}'`;
  if (word.search(acting) === -1) return plain;
  return `$'${word.replace(/['\\]/g, String.raw`\$&`).replace(acting, octal)}'`;
}

/** Its bytes in UTF-8, each as three digits: of fewer, a digit that follows would be one of them. */
function octal(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
