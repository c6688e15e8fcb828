import type { Conceal } from './conceal.ts';
import type { WireAnswer } from './transport.ts';
import type { WireFailure } from './wire-failure.ts';

/** All that can become of an attempt, but for success. */
export type Trouble =
  /** `asked` is a wait of so many milliseconds that is not made, since it is too long. */
  | { readonly kind: 'refused'; readonly answer: WireAnswer; readonly asked?: number | undefined }
  | { readonly kind: 'redirected'; readonly answer: WireAnswer; readonly why: string }
  | { readonly kind: 'unreadable'; readonly answer: WireAnswer; readonly why: string }
  | { readonly kind: 'broken'; readonly failure: WireFailure }
  | { readonly kind: 'late'; readonly sent: boolean; readonly waited: number }
  | { readonly kind: 'interrupted'; readonly sent: boolean };

export function isChange(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** What a trouble befell. */
export interface Occasion {
  readonly method: string;
  readonly url: string;
  readonly conceal: Conceal;
  /** What was called is a sandbox on this machine. */
  readonly local?: boolean | undefined;
}

export const unsureHint = 'it may have been done: find out before you repeat it';
// §7
export const faultHint = 'if it goes on, report it to the support of the service';
