/** A path as a shell takes it in one piece, since remedies are pasted. */
export function shellPath(path: string): string {
  return /^\/[\w./@+-]*$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
