const form = /^sep=([,;\t|])$/i;

/** The delimiter that a line of Excel's own before the header names, such as `sep=;`. */
export function separatorIn(line: string): string | undefined {
  return form.exec(line)?.[1];
}
