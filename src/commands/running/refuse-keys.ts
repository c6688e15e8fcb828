import { usage } from '../../errors.ts';
import { redact } from '../../redact.ts';

/** What is typed is kept with the run, and goes to the service in every row: no place for a key. */
export function refuseKeys(typed: readonly string[], file: string): void {
  const word = typed.find((one) => one !== file && redact(one) !== one);
  if (word === undefined) return;
  throw usage(`"${redact(word)}" holds what is written like a key`, 'a key is given by BIZMSG_API_KEY or a profile');
}
