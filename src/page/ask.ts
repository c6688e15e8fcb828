import { effect, type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { InputOf, OperationName, OutputOf } from '../sandbox/control/operations.ts';
import type { Topic } from '../sandbox/control/stream.ts';
import { provenToken, state } from './connection.ts';

/** Runs an operation of the sandbox. */
export async function ask<O extends OperationName>(operation: O, input?: InputOf<O>): Promise<OutputOf<O>> {
  const headers = { 'x-sandbox-token': await provenToken(), 'content-type': 'application/json' };
  const response = await fetch(operation, {
    method: 'POST',
    headers,
    body: JSON.stringify(input ?? {}),
  }).catch(() => {
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

const pauses = new Set<() => void>();

/** Ends the pauses between questions, so that the page immediately shows what its user did. */
export function endPauses(): void {
  for (const end of pauses) end();
}

/** Milliseconds between two questions about the same: a busy sandbox is not slowed down, and what is shown is not old. */
const pause = { least: 200, times: 10, most: 2_000 };

interface Question<O extends OperationName> {
  readonly topics: readonly Topic[];
  readonly operation: O;
  readonly input: () => InputOf<O> | undefined;
  readonly isWanted?: () => boolean;
  readonly answered: (output: OutputOf<O>) => void;
}

/** Asks, and asks again when a topic or the input has changed. Returns a function that ends it. */
export function keepAsking<O extends OperationName>({
  topics,
  operation,
  input,
  isWanted,
  answered,
}: Question<O>): () => void {
  const asking = { isBusy: false, isStale: false, isOver: false, last: '' };
  const end = effect(() => {
    const { versions } = state.value;
    const key = JSON.stringify([topics.map((topic) => versions[topic] ?? 0), input()]);
    if (key === asking.last || !topics.some((topic) => versions[topic]) || isWanted?.() === false) return;
    asking.last = key;
    asking.isStale = true;
    void refresh();
  });
  return () => {
    asking.isOver = true;
    end();
  };

  async function refresh(): Promise<void> {
    if (asking.isBusy) return;
    asking.isBusy = true;
    while (asking.isStale && !asking.isOver) {
      asking.isStale = false;
      const started = performance.now();
      const output = await tryAsk(operation, input());
      if (output !== undefined && !asking.isOver) answered(output);
      await rest(Math.min(pause.most, Math.max(pause.least, pause.times * (performance.now() - started))));
    }
    asking.isBusy = false;
  }
}

function rest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      pauses.delete(end);
      resolve();
    };
    pauses.add(end);
    setTimeout(end, milliseconds);
  });
}

/** The output of an operation for as long as the page is open; undefined until it has arrived. */
export function asked<O extends OperationName>(
  topics: readonly Topic[],
  operation: O,
  input?: InputOf<O>,
): ReadonlySignal<OutputOf<O> | undefined> {
  const output = signal<OutputOf<O> | undefined>(undefined);
  keepAsking({ topics, operation, input: () => input, answered: (value) => (output.value = value) });
  return output;
}

/** The output of an operation while a component is shown. */
export function useAsked<O extends OperationName>(topics: readonly Topic[], operation: O, input?: InputOf<O>) {
  const output = useSignal<OutputOf<O> | undefined>(undefined);
  useEffect(
    () => keepAsking({ topics, operation, input: () => input, answered: (value) => (output.value = value) }),
    [operation, JSON.stringify(input)],
  );
  return output.value;
}
