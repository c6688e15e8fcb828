import { expect } from 'vitest';
import type { Ran } from '../../support/cli.ts';
import type { Asked } from '../../support/service.ts';
import type { Answer, SendOptions, World } from '../../store/world.ts';
import { profileOf, profiles } from './choices.ts';
import type { Line, Machine } from './rig.ts';

export function profileWith(key: string): string {
  return Object.entries(profiles).find(([other]) => other === key)?.[1] ?? '';
}

export type Request = Omit<Asked, 'reply'>;

/** A request, and what the model is asked to send. */
interface Message {
  readonly phone: string;
  readonly text: string;
}

/** Compares a machine with a model. With `usesPer`, a text ends with the order of its row. */
export function createComparison(machine: Machine, model: World, usesPer: boolean) {
  /** The answers of the service. */
  const answers = new Map<Request, Answer>();
  return { answers, compare, keyOf, outcomesIn, unsureIn };

  /** Compares what the service accepted and what the reports say with the model. */
  async function compare(): Promise<void> {
    const messages = [...answers].flatMap(([asked, answer]) => {
      const isAccepted = answer === 'sent' || answer === 'unsure, accepted';
      const profile = profileWith(asked.key).replace('-background', '');
      return isAccepted ? `${profile} ${asked.phone} ${asked.text}` : [];
    });
    const wanted = model.messages.map((message) => `${profileOf(message)} ${message.phone} ${message.text}`);
    expect(messages.toSorted()).toEqual(wanted.toSorted());
    const rows = await model.rows();
    for (const { account, mode, name, isLoading } of await model.batches()) {
      if (isLoading) continue;
      const report = await machine.report(name, ['--profile', profileOf({ account, mode })]);
      const shown = report.filter((row) => !isTwice(row));
      const stateText = ({ phone, state }: { readonly phone: string; readonly state: string }) =>
        `${phone.startsWith('+') ? phone : 'unreadable'} ${words[state] ?? 'not-sent'}`;
      const wanted = rows.filter(({ batch }) => batch === name).map(stateText);
      // Columns are erased after 30 days, and those of contacts immediately.
      const isErased = shown.some(({ phone }) => phone === null);
      const plain = (lines: readonly string[]) =>
        lines.map((line) => (isErased ? line.slice(line.indexOf(' ')) : line));
      const lines = shown.map((row) => `${String(row['phone'])} ${outcomeOf(row)}`);
      expect(plain(lines).toSorted()).toEqual(plain(wanted).toSorted());
    }
  }

  /** The outcomes of the rows of a batch, by person. */
  async function outcomesIn(options: SendOptions): Promise<ReadonlyMap<string, string>> {
    const name = options.batch ?? options.file?.name ?? '';
    const typed = ['batches', 'report', name, '-o', 'json', '--profile', profileOf(options)];
    const { code, stdout }: Ran = await machine.run(typed);
    const rows: readonly Line[] = code === 0 ? JSON.parse(stdout) : [];
    const first = rows.filter((row) => !isTwice(row));
    return new Map(
      first.map((row) => [keyOf({ phone: String(row['phone']), text: String(row['name']) }), outcomeOf(row)]),
    );
  }

  async function unsureIn(options: SendOptions): Promise<ReadonlySet<string>> {
    const outcomes = await outcomesIn(options);
    return new Set([...outcomes.keys()].filter((key) => outcomes.get(key) === 'unsure'));
  }

  function keyOf({ phone, text }: Message): string {
    return usesPer ? `${phone} ${text.slice(-1)}` : phone;
  }
}

function isTwice(row: Line): boolean {
  return /twice/.test(String(row['bizmsg_reason']));
}

function outcomeOf(row: Line): string {
  return String(row['bizmsg_outcome']);
}

/** The words of the report. */
const words: Readonly<Record<string, string>> = {
  waiting: 'waiting',
  sent: 'sent',
  failed: 'failed',
  unsure: 'unsure',
  'under way': 'unsure',
};
