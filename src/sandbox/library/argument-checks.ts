import { CliError } from '../../base/errors.ts';
import { Mismatch } from '../../contract/readers.ts';
import { Refusal } from '../refusal.ts';

/** Runs an operation; its errors name the method, and are ordinary ones. */
export function checked<T>(method: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw plainError(method, error);
  }
}

export function plainError(method: string, error: unknown): unknown {
  if (error instanceof CliError) {
    const hint = error.hint === undefined ? '' : `; ${error.hint}`;
    return new Error(`${method}: ${error.message}${hint}`, { cause: error.cause });
  }
  if (error instanceof Mismatch) return new TypeError(`${method}: ${place(error.at)} ${error.message}`);
  return error instanceof Refusal ? new TypeError(`${method}: ${error.message}`) : error;
}

/** `effect.status` for the pointer `/effect/status`. */
function place(pointer: string): string {
  return pointer === '' ? 'the argument' : pointer.slice(1).replaceAll('/', '.');
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a duration. JavaScript may pass a text that its type does not allow. */
export function millisecondsOf(span: number | string): number {
  if (typeof span === 'number') return span;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(span) ?? [];
  const milliseconds = Math.round(Number(amount) * (units[unit] ?? Number.NaN));
  if (Number.isNaN(milliseconds))
    throw new Refusal(400, `"${span}" is not a duration: use milliseconds, 5s, 10m, 2h or 31d`);
  return milliseconds;
}
