/** Whether the element goes on, ends with this character, or ended before it. */
type Step = 'within' | 'done' | 'before';

/** Finds where an element of a JSON array ends, character by character. */
export interface ElementScanner {
  begin(): void;
  step(code: number): Step;
}

const [quote, backslash, comma, colon, newline] = [0x22, 0x5c, 0x2c, 0x3a, 0x0a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Deeper than anything that is read; what is open below is only counted. */
const deepest = 1000;

/**
 * A damaged element is not to take the following ones with it: a line's end closes a text (JSON has none inside one),
 * a bracket closes those that were left open inside it, and an object inside another one where no colon stands before it is the next element.
 */
export function createElementScanner(): ElementScanner {
  let open: number[] = [];
  let [deeper, previous, quoted, escaped] = [0, 0, false, false];

  function begin(): void {
    open = [];
    [deeper, previous, quoted, escaped] = [0, 0, false, false];
  }

  function step(code: number): Step {
    if (quoted) return inText(code);
    if (code <= 0x20) return 'within';
    const before = previous;
    previous = code;
    if (code === quote) quoted = true;
    else if (code === openObject || code === openList) return opened(code, before);
    else if (code === closeObject || code === closeList) return closed(code);
    else if (code === comma && open.length === 0) return 'before';
    return 'within';
  }

  function inText(code: number): Step {
    if (code === newline) [quoted, escaped] = [false, false];
    else if (escaped) escaped = false;
    else if (code === backslash) escaped = true;
    else if (code === quote) quoted = false;
    return 'within';
  }

  function opened(code: number, before: number): Step {
    if (code === openObject && open.at(-1) === openObject && before !== colon && deeper === 0) return 'before';
    if (open.length < deepest) open.push(code);
    else deeper++;
    return 'within';
  }

  function closed(code: number): Step {
    if (open.length === 0) return code === closeList ? 'before' : 'within';
    if (deeper > 0) deeper--;
    else {
      // The pairs' codes are two apart.
      const at = open.lastIndexOf(code - 2);
      if (at !== -1) open.length = at;
    }
    return open.length === 0 ? 'done' : 'within';
  }

  return { begin, step };
}
