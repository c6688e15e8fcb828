import { unescapeCsv, unescapeTsv } from '../../base/cell-escapes.ts';
import type { Request } from './request.ts';

const escapes = /\\(?:[\\trn0"]|u[0-9a-f]{4})/g;

/**
 * Returns the decoder of cells, so that what bizmsg writes is read back unchanged. In TSV it escapes every backslash, and
 * a quote at the beginning of a cell; anything else there means that another program wrote the file.
 */
export function createUndo(separator: string, head: string, { note }: Request): (cell: string) => string {
  if (separator !== '\t') return unescapeCsv;
  const lines = head.slice(0, head.lastIndexOf('\n') + 1);
  if (/(?:^|[\t\r\n])"/.test(lines) || isForeign(lines)) return (cell) => cell;
  let isNoted = false;
  return (cell) => {
    if (!cell.includes('\\') || isForeign(cell)) return cell;
    if (!isNoted) note('escapes', 'backslash escapes such as \\t and \\n are decoded, since bizmsg writes them in TSV');
    isNoted = true;
    return unescapeTsv(cell);
  };
}

function isForeign(text: string): boolean {
  return text.replace(escapes, '').includes('\\');
}
