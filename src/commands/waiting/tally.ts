import { CliError } from '../../base/errors.ts';
import type { Happened } from '../../webhooks/watch/watch.ts';

/** What came, of what is expected and else. */
export interface Tally {
  /** One that is expected; it counts once a handler has taken it. */
  came(event: Happened): void;
  /** The last that came, and whether it had not come before. */
  taken(isNew: boolean): void;
  /** One that is not expected, for its name or for its body. */
  other(event: Happened, why: 'name' | 'body'): void;
  isFull(): boolean;
  opposite(event: Happened): CliError;
  late(): CliError;
  interrupted(): CliError;
}

interface Wanted {
  readonly event: string;
  readonly where: readonly string[];
  readonly count: number;
  readonly within: number;
}

export function createTally({ event: wanted, where, count, within }: Wanted): Tally {
  const others = { name: new Map<string, number>(), body: new Map<string, number>() };
  let taken = 0;
  let unanswered: string | undefined;
  const said = (when = '') =>
    unanswered === undefined
      ? `${taken} of ${count} ${wanted} came${when}`
      : `${unanswered} came, but the handler had not answered${when} (${taken} of ${count} so far)`;
  return {
    came: (event) => void (unanswered = nameOf(event)),
    taken(isNew) {
      unanswered = undefined;
      if (isNew) taken += 1;
    },
    other: (event, why) => void others[why].set(nameOf(event), (others[why].get(nameOf(event)) ?? 0) + 1),
    isFull: () => taken >= count,
    opposite: ({ name, reason = 'no reason is given' }) =>
      new CliError('opposite', 'opposite', `${name} came in place of ${wanted}: ${reason}`),
    late() {
      const conditions = where.map((one) => ` --where '${one}'`).join('');
      const hints = [
        ...(others.body.size > 0 ? [`${listed(others.body)} came, but not with${conditions}`] : []),
        ...(others.name.size > 0 ? [`what came instead: ${listed(others.name)}`] : []),
      ];
      const hint = hints.length > 0 ? hints.join('; ') : 'no other event came either';
      const message = said(` within ${within / 1000} s after the command ended`);
      return new CliError('unsure', 'not-in-time', message, { hint });
    },
    interrupted: () => new CliError('interrupted', 'interrupted', `interrupted; ${said()}`),
  };
}

function nameOf({ name = 'an event without a name' }: Happened): string {
  return name;
}

function listed(times: ReadonlyMap<string, number>): string {
  return [...times].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ');
}
