import { resolve } from 'node:path';
import { usage } from '../base/errors.ts';
import { redact } from '../base/redact.ts';

const hint = 'a key is given by BIZMSG_API_KEY or a profile';

/** The command line is kept with the run, and its values go to the service in every row: no place for a key. */
export function refuseKeys(typed: readonly string[], file: string, known: readonly string[]): void {
  const word = typed.find((one) => one !== file && redact(one) !== one);
  if (word !== undefined) throw usage(`"${redact(word, known)}" holds what is written like a key`, hint);
  const holds = (text: string) => redact(text, known) !== redact(text);
  const other = typed.find((one) => one !== file && holds(one));
  if (other !== undefined) throw usage(`"${redact(other, known)}" holds a key of this machine`, hint);
  if (file !== '-' && holds(resolve(file)))
    throw usage(`the path "${redact(resolve(file), known)}" holds a key of this machine`, 'rename the file or folder');
}
