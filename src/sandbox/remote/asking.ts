import { exactJson, jsonText } from '../../base/json.ts';
import * as read from '../../contract/readers.ts';
import type { Reader } from '../../contract/readers.ts';
import { CliError, configuration } from '../../base/errors.ts';
import { httpRequest } from '../../base/http-request.ts';
import { controlPrefix, tokenHeader } from '../control/paths.ts';
import type { Locator } from './locator.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Asks the control plane of one sandbox. */
export type Ask = <T>(
  method: 'GET' | 'POST',
  path: string,
  answer: Reader<T>,
  body?: object,
  limits?: Limits,
) => Promise<T>;

interface Limits {
  /** Milliseconds that the answer may take on top of the usual. */
  readonly patience?: number;
  /** Calls it off. */
  readonly signal?: AbortSignal | undefined;
}

const usual = 15_000;

export function asking({ url, token }: Pick<Locator, 'url' | 'token'>): Ask {
  return async (method, path, answer, body, { patience = 0, signal } = {}) => {
    const headers = { [tokenHeader]: token, 'content-type': 'application/json' };
    const got = await httpRequest(`${url}${controlPrefix}${path}`, {
      method,
      headers,
      body: body ? jsonText(body) : '',
      timeout: Number.isFinite(patience) ? usual + patience : 0,
      signal,
    }).catch((error: unknown) => {
      throw configuration('sandbox-gone', `the sandbox at ${url} does not answer`, undefined, error);
    });
    const value: unknown = exactJson(got.body);
    if (got.status === 200) return answer(value);
    const reason = read.object({ error: read.object({ message: read.string }) })(value).error.message;
    const message = `the sandbox refused: ${reason}`;
    throw got.status === 404
      ? new CliError('notFound', 'not-found', message)
      : configuration('sandbox-refused', message);
  };
}

export const list = read.list(row);

export function row(value: unknown, at = ''): Row {
  if (!read.isRecord(value)) throw new read.Mismatch(at, 'must be an object');
  return value;
}

export function number(value: unknown, at = ''): number {
  if (typeof value !== 'number') throw new read.Mismatch(at, 'must be a number');
  return value;
}
