import { CliError } from '../../errors.ts';
import type { Meaning } from '../../webhooks/meaning.ts';
import type { Happened } from '../../webhooks/waiting.ts';

/** What came, of what is expected and else. */
export interface Tally {
  add(event: Happened, meaning: Meaning | undefined): void;
  isFull(): boolean;
  opposite(event: Happened): CliError;
  late(): CliError;
  interrupted(): CliError;
}

interface Wanted {
  readonly event: string;
  readonly count: number;
  readonly within: number;
}

export function createTally({ event: wanted, count, within }: Wanted): Tally {
  const others = new Map<string, number>();
  let came = 0;
  const said = () => `${came} of ${count} ${wanted} came`;
  const instead = () =>
    [...others].map(([name, times]) => (times === 1 ? name : `${name} (${times} times)`)).join(', ');
  return {
    add({ name = 'an event without a name' }, meaning) {
      if (meaning === 'came') came += 1;
      else others.set(name, (others.get(name) ?? 0) + 1);
    },
    isFull: () => came >= count,
    opposite: ({ name, reason = 'no reason is given' }) =>
      new CliError('opposite', 'opposite', `${name} came in place of ${wanted}: ${reason}`),
    late() {
      const hint = others.size > 0 ? `what came instead: ${instead()}` : 'no other event came either';
      const message = `${said()} within ${within / 1000} s after the command ended`;
      return new CliError('unsure', 'not-in-time', message, { hint });
    },
    interrupted: () => new CliError('interrupted', 'interrupted', `interrupted; ${said()}`),
  };
}
