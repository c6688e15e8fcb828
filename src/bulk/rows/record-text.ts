/** A record of a table by RFC 4180. Any delimiter is quoted, so that the right one is found when it is read. */
export function recordText(cells: readonly string[], delimiter: string): string {
  return cells.map(quoted).join(delimiter);
}

function quoted(cell: string): string {
  return /[",;\t|\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
