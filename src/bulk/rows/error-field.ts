/** Where a file of failed rows says why; an import of it drops it. */
export const errorField = 'bizmsg_error';

/** Where such a file, if it is JSON, holds the text of what could not be read. */
export const textField = 'bizmsg_text';

/** Begins the error of a table's row that could not be read; its text stands in the first cell. */
export const damagedMark = 'damaged: ';

/** Begins the error of a row that was refused as a row before it has its recipient; it is refused again where it is read. */
export const heldMark = 'the recipient is that of ';

/** The file that a row failed from would send again what was done. */
export const allowing = 'send the file of those that failed with --allow-same-recipient';

/** Why a row is held, in a file of failed rows, whose numbers are others than those of the file that they came from. */
export function heldIn(error: unknown): string | undefined {
  if (typeof error !== 'string' || !error.startsWith(heldMark)) return undefined;
  const place = /^\w+ \d+/.exec(error.slice(heldMark.length))?.[0] ?? 'a row';
  const ways = `if it is meant, ${allowing}; an empty ${errorField} says that the row is mended`;
  return `${heldMark}${place} of an earlier file; ${ways}`;
}
