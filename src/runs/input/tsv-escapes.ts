/**
 * The meaning of backslashes in TSV: `undone` are escapes of our own exports, `kept` are literal although some look like
 * escapes; with `none` nothing looks like one.
 */
export type Escapes = 'undone' | 'kept' | 'none';

/** Receives a file's text in chunks. */
export interface EscapeScan {
  push(text: string, last: boolean): void;
  found(): Escapes;
}

const [escape, longest] = [/\\(?:[\\trn0]|u[0-9a-f]{4})/y, 6];

/**
 * Our exports escape every backslash, and a quote at the start of a cell. So a single backslash that starts no escape,
 * or a quoted cell, shows that another program wrote the file, and its backslashes are literal.
 */
export function createEscapeScan(): EscapeScan {
  let [rest, before, isForeign, hasEscapes] = ['', '\n', false, false];

  function push(text: string, last: boolean): void {
    const piece = rest + text;
    const telling = /[\\"]/g;
    rest = '';
    for (let found = telling.exec(piece); found; found = telling.exec(piece)) {
      const at = found.index;
      if (!last && at + longest > piece.length) {
        rest = piece.slice(at);
        break;
      }
      telling.lastIndex = at + look(piece, at);
    }
    const end = piece.length - rest.length;
    before = piece[end - 1] ?? before;
  }

  /** The number of characters consumed. */
  function look(piece: string, at: number): number {
    const opensCell = /[\t\r\n]/.test(piece[at - 1] ?? before);
    if (piece[at] === '"') {
      isForeign ||= opensCell;
      return 1;
    }
    escape.lastIndex = at;
    const size = opensCell && piece[at + 1] === '"' ? 2 : (escape.exec(piece)?.[0].length ?? 0);
    if (size > 0) hasEscapes = true;
    else isForeign = true;
    return size || 1;
  }

  return {
    push,
    found: () => (!hasEscapes ? 'none' : isForeign ? 'kept' : 'undone'),
  };
}
