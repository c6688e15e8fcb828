import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
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

const pauses = new Set<() => void>();

/** Ends the pauses between questions, so that the page immediately shows what its user did. */
export function endPauses(): void {
  for (const end of pauses) end();
}

/** Milliseconds between two questions about the same: a busy sandbox is not slowed down, and what is shown is not old. */
const pause = { least: 200, times: 40, most: 5_000 };

/** The output of an operation; asked again when one of its topics has changed. */
export function useAsked<O extends OperationName>(topics: Topic | readonly Topic[], operation: O, input?: InputOf<O>) {
  const output = useSignal<OutputOf<O> | undefined>(undefined);
  const asking = useRef({ isBusy: false, isStale: false, isOver: false, version: 0 });
  useEffect(() => () => void (asking.current.isOver = true), []);
  useSignalEffect(() => {
    const version = [topics].flat().reduce((sum, topic) => sum + (state.value.versions[topic] ?? 0), 0);
    if (version === asking.current.version) return;
    asking.current.version = version;
    void refresh();
  });
  return output.value;

  async function refresh(): Promise<void> {
    const { current } = asking;
    current.isStale = true;
    if (current.isBusy) return;
    current.isBusy = true;
    while (current.isStale && !current.isOver) {
      current.isStale = false;
      const started = performance.now();
      output.value = await ask(operation, input).catch(() => output.value);
      const took = performance.now() - started;
      const wait = Math.min(pause.most, Math.max(pause.least, pause.times * took));
      await new Promise<void>((resolve) => {
        const end = () => {
          pauses.delete(end);
          resolve();
        };
        pauses.add(end);
        setTimeout(end, wait);
      });
    }
    current.isBusy = false;
  }
}
