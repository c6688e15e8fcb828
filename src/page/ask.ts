import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { endpoints, errorDetail } from '../contract/endpoints.ts';
import type { Topic } from '../sandbox/control/feed.ts';
import type { InputOf, OperationName, OutputOf } from '../sandbox/control/operations.ts';
import { provenToken, sleep } from './connection.ts';
import { type Message, state } from './state.ts';

/** Runs an operation of the sandbox. */
export async function ask<O extends OperationName>(operation: O, input?: InputOf<O>): Promise<OutputOf<O>> {
  const headers = { 'x-sandbox-token': await provenToken(), 'content-type': 'application/json' };
  const body = JSON.stringify(input ?? {});
  const response = await fetch(operation, { method: 'POST', headers, body }).catch(() => {
    throw new Error('The sandbox does not answer.');
  });
  const output = await response.json();
  if (response.ok) return output;
  throw new Error(output.error?.message ?? `the sandbox answered ${response.status}`);
}

/** Runs an operation; undefined if that fails. */
export function tryAsk<O extends OperationName>(operation: O, input?: InputOf<O>): Promise<OutputOf<O> | undefined> {
  return ask(operation, input).catch(() => undefined);
}

/** Sends a message through the API, as a program would; returns its id. */
export async function send(message: Pick<Message, 'to' | 'template' | 'params'>): Promise<string> {
  const { keys } = await ask('env');
  const response = await fetch(endpoints.sendTemplate.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.sandbox}`, 'content-type': 'application/json' },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => {
    throw new Error('No answer. The message may have been sent: check the list before you send it again.');
  });
  const json: unknown = await response.json().catch(() => undefined);
  if (response.ok) return endpoints.sendTemplate.answer(json).message_id;
  throw new Error(errorDetail(json) ?? `The service answered ${response.status}.`);
}

/** Milliseconds between two questions about the same. */
const pause = 200;

/** Asks, and asks again when a topic or the input has changed. With null as its input, it waits. Also returns a stop function. */
export function asking<O extends OperationName>(
  topics: readonly Topic[],
  operation: O,
  input: () => InputOf<O> | null | undefined = () => undefined,
): readonly [output: ReadonlySignal<OutputOf<O> | undefined>, stop: () => void] {
  const output = signal<OutputOf<O> | undefined>(undefined);
  const question = computed(() => {
    const { versions } = state.value;
    const current = input();
    if (current === null || !topics.some((topic) => versions[topic])) return '';
    return JSON.stringify([current, topics.map((topic) => versions[topic])]);
  });
  let [isBusy, asked] = [false, ''];
  const stop = effect(() => {
    if (question.value !== '' && !isBusy) void refresh();
  });
  return [output, stop];

  async function refresh(): Promise<void> {
    isBusy = true;
    while (asked !== question.peek()) {
      // Changes that come together are one question.
      await sleep(0);
      asked = question.peek();
      const current = input();
      if (current !== null) output.value = (await tryAsk(operation, current)) ?? output.value;
      await sleep(pause);
    }
    isBusy = false;
  }
}

/** The output of an operation while a component is shown; undefined until it has arrived. */
export function useAsked<O extends OperationName>(topics: readonly Topic[], operation: O, input?: InputOf<O> | null) {
  const [output, stop] = useMemo(() => asking(topics, operation, () => input), [operation, JSON.stringify(input)]);
  useEffect(() => stop, [stop]);
  return output.value;
}
