/** How an input is read. */
export interface Request {
  /** For messages. */
  readonly name: string;
  readonly encoding?: string | undefined;
  /** Of a file that is not UTF-8: kept by a batch or a profile. */
  readonly usualEncoding?: string | undefined;
  /** The title of a sheet. */
  readonly sheet?: string | undefined;
  readonly signal: AbortSignal;
  note(code: string, text: string): void;
}
