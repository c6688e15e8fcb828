/** Takes an input's text piece by piece. */
export interface TextReader {
  push(text: string, last: boolean): void;
}

/** What cannot be read as a record. */
export interface Damage {
  /** Where it begins. */
  readonly line: number;
  /** As it stands in the input; empty where it was too long to keep. */
  readonly text: string;
  readonly reason: string;
}
