/** How an input is read. */
export interface Request {
  /** For messages. */
  readonly name: string;
  readonly encoding?: string | undefined;
  /** Encoding of files that are not UTF-8, from the batch or the profile. */
  readonly usualEncoding?: string | undefined;
  /** The title of a sheet. */
  readonly sheet?: string | undefined;
  readonly signal: AbortSignal;
  note(code: string, text: string): void;
}
