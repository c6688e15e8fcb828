import { setTimeout as wait } from 'node:timers/promises';
import { CliError, configuration } from '../../base/errors.ts';
import { exactJson, jsonText } from '../../base/json.ts';
import { httpRequest } from '../../base/http-request.ts';
import * as read from '../../contract/readers.ts';
import type { InputOf, OperationName, OutputOf } from '../control/operations.ts';
import { controlPrefix, tokenHeader } from '../exchange.ts';
import type { Locator } from './locator.ts';

export type { InputOf, OperationName, OutputOf };

export type Remote = ReturnType<typeof openRemote>;

/** Milliseconds. A large sandbox takes a while to list or load its records. */
const timeout = 120_000;

/** A sandbox in another process. */
export function openRemote({ url, token }: Pick<Locator, 'url' | 'token'>) {
  return {
    ask,
    /** Resolves once its port is free. */
    async stop() {
      await ask('stop');
      await untilSilent(url);
    },
  };

  async function ask<O extends OperationName>(
    operation: O,
    input?: InputOf<O>,
    signal?: AbortSignal,
  ): Promise<OutputOf<O>> {
    const answer = await httpRequest(`${url}${controlPrefix}/${operation}`, {
      method: 'POST',
      headers: { [tokenHeader]: token, 'content-type': 'application/json' },
      body: jsonText(input ?? {}),
      timeout: timeoutOf(operation, input),
      signal,
    }).catch((error: unknown) => {
      throw configuration('sandbox-gone', `the sandbox at ${url} does not answer`, undefined, error);
    });
    const value = exactJson(answer.body);
    if (answer.status === 200 && isOutput<O>(value)) return value;
    throw refused(answer.status, value);
  }
}

/** An advance takes as long as its deliveries; zero means no time-out. */
function timeoutOf(operation: OperationName, input: unknown): number {
  if (operation === 'advanceClock') return 0;
  return timeout + (read.isRecord(input) ? Number(input['wait'] ?? 0) : 0);
}

/** The sandbox has made it from the same table. */
function isOutput<O extends OperationName>(value: unknown): value is OutputOf<O> {
  return value !== undefined;
}

const refusal = read.object({ error: read.object({ message: read.string }) });

function refused(status: number, value: unknown): CliError {
  const message = `the sandbox refused: ${refusal(value).error.message}`;
  if (status === 404) return new CliError('notFound', 'not-found', message);
  return new CliError(status === 400 ? 'usage' : 'configuration', 'sandbox-refused', message);
}

async function untilSilent(url: string): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const answers = await httpRequest(url, { method: 'GET', timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    if (!answers) return;
    await wait(10);
  }
  throw configuration('sandbox-busy', `the sandbox at ${url} is still running 5 seconds after it was asked to stop`);
}
