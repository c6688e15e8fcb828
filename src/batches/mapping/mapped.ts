import type { Fields } from '../input/row.ts';

/** The request for a row. */
export interface Mapped {
  /** E.164; undefined if it cannot be read. */
  readonly phone: string | undefined;
  /** The value of `--per`, or ''. */
  readonly per: string;
  /** The body of the request as JSON; '' if there is a problem. */
  readonly body: string;
  /** Why it cannot be sent: "phone: it is empty". */
  readonly problem?: string | undefined;
}

export type Mapper = (fields: Fields) => Mapped;

/** The reason why a value cannot be sent, in place of the value. */
export class ValueError {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
