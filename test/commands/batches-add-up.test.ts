import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { errorIn } from '../support/json-lines.ts';
import { isLong } from '../support/long-tests.ts';
import { envOf, openService, type Reply } from '../support/service.ts';

const phoneOf = (person: number) => `+4917012345${10 + person}`;
const spellings = [
  phoneOf,
  (person: number) => `0170 / 12345${10 + person}`,
  (person: number) => `0049 (170) 12345-${10 + person}`,
];

const rows = fc.record({
  person: fc.nat({ max: 7 }),
  spelling: fc.nat({ max: 2 }),
  name: fc.constantFrom('Ada', 'Ada', 'Bo', 'Bo', ''),
  order: fc.constantFrom('1', '1', '1', '2'),
  broken: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, '', '12', '+49 170 123', 'Ada'),
});
type Row = typeof rows extends fc.Arbitrary<infer T> ? T : never;

const people = fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 2 });
const options = fc.record(
  {
    where: fc.constantFrom('name=Ada', 'order=1'),
    excluded: people,
    first: fc.integer({ min: 1, max: 4 }),
    again: fc.constant(true),
    country: fc.constant('DE'),
    default: fc.constant('name=you'),
    perPhone: fc.constant(true),
    resend: fc.constantFrom('changed', 'unsure', 'failed'),
  },
  { requiredKeys: [] },
);

const commands = fc.record({
  kind: fc.constantFrom('send', 'send', 'send', 'import', 'resume'),
  /** Batches named "c" have a row for each order. */
  batch: fc.constantFrom('a', 'b', 'c'),
  file: fc.array(rows, { minLength: 1, maxLength: 12 }),
  /** Whether it takes the file of the command before. */
  isSameFile: fc.boolean(),
  options,
});
type Command = typeof commands extends fc.Arbitrary<infer T> ? T : never;

const scenarios = fc.record({
  commands: fc.array(commands, { minLength: 4, maxLength: 6 }),
  replies: fc.infiniteStream(fc.constantFrom<Reply>(200, 200, 200, 200, 200, 200, 200, 200, 400, 500, 'reset')),
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

const outcomes = ['sent', 'failed', 'unsure', 'waiting', 'not_sent'] as const;
type Counts = Readonly<Record<(typeof outcomes)[number] | 'rows', number>>;

const numRuns = isLong ? 40 : 8;
/** Writing to a disk would take most of the time. */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

it(`a dry run, the end, show, list and report agree on the rows, in ${numRuns} random sequences of 4 to 6 commands`, async () => {
  await fc.assert(fc.asyncProperty(scenarios, check), { numRuns, endOnFailure: true });
}, 600_000);

async function check({ commands: list, replies }: Scenario): Promise<void> {
  const machine = await openMachine(replies);
  try {
    let sent = 0;
    for (const command of list) sent += await machine.check(command);
    // Neither a dry run nor a question about a batch sends anything.
    expect(machine.asked.length).toBe(sent);
  } finally {
    machine.close();
  }
}

async function openMachine(replies: Iterator<Reply>) {
  const home = mkdtempSync(join(memory, 'bizmsg-test-'));
  const service = await openService(() => ({ reply: replies.next().value ?? 200 }));
  /** By batch: its counts after the last command. */
  const last = new Map<string, Counts>();
  const run = (argv: readonly string[]) => cli(argv, { home, env: envOf(service) });
  const json = async (argv: readonly string[]) => JSON.parse((await run([...argv, '-o', 'json'])).stdout || '[]');
  let file: readonly Row[] = [];
  return {
    check: checkCommand,
    asked: service.asked,
    close() {
      service.close();
      rmSync(home, { recursive: true });
    },
  };

  function write(name: string, text: string): string {
    const path = join(home, name);
    writeFileSync(path, text);
    return path;
  }

  /** Returns how many requests it has sent. */
  async function checkCommand(command: Command): Promise<number> {
    const { kind, isSameFile } = command;
    const name = kind === 'import' ? `import-${command.batch}` : command.batch;
    const before = last.get(name);
    if (kind === 'resume' && before === undefined) return 0;
    if (!isSameFile || file.length === 0) file = command.file;
    const argv = argvOf(command, name);
    const expected = kind === 'resume' ? undefined : await json([...argv, '--dry-run']);
    const start = service.asked.length;
    const { stdout, stderr } = await run([...argv, '-o', 'json']);
    const asked = service.asked.slice(start);
    if (stdout === '') {
      expect(['listed-twice', 'no-waiting', 'nothing-waiting']).toContain(errorIn(stderr)['code']);
      expect([asked.length, await shown(name)]).toEqual([0, before]);
      return 0;
    }
    const [end, batch] = [JSON.parse(stdout), await shown(name)];
    if (batch === undefined) throw new Error(`there is no batch ${name}`);
    last.set(name, batch);
    const by = (...wanted: readonly Reply[]) => asked.filter(({ reply }) => wanted.includes(reply)).length;
    const now = { sent: by(200), failed: by(400), unsure: by(500, 'reset') };
    const { first, resend } = command.options;
    checkEnd(end, now, batch, resend === 'unsure');
    if (!expected) return asked.length;
    expect([expected.rows, totalOf(expected) + expected.to_send, end.rows]).toEqual(Array(3).fill(file.length));
    // A row that is refused is not a person whom the batch has reached; one that is sent again may be held.
    const mayDiffer = end.stopped || (first !== undefined && now.failed > 0) || resend !== undefined;
    if (!mayDiffer) expect(asked.length).toBe(expected.to_send);
    if (first === undefined) expect(asked.length).toBeLessThanOrEqual(expected.to_send);
    if (resend !== undefined) return asked.length;
    expect({ ...countsOf(end), reasons: notSent(end) }).toEqual({
      sent: expected.sent + now.sent,
      failed: expected.failed + now.failed,
      unsure: expected.unsure + now.unsure,
      waiting: expected.waiting + expected.to_send - asked.length,
      not_sent: expected.not_sent,
      reasons: notSent(expected),
    });
    return asked.length;
  }

  /** The end of a command that sent `now`, beside its batch as `batches show` has it. */
  function checkEnd(end: End, now: End['now'], batch: Counts, resendsUnsure: boolean): void {
    // An unsure row that is refused the second time stays unsure.
    const refused = resendsUnsure ? end.now.unsure - now.unsure : 0;
    expect(end.now).toEqual({ ...now, failed: now.failed - refused, unsure: now.unsure + refused });
    expect(refused).toBeGreaterThanOrEqual(0);
    checkSums(end);
    expect(batch.waiting - end.waiting).toBe(end.others);
    if (end.rows === batch.rows) expect(countsOf(batch)).toEqual(countsOf(end));
  }

  function argvOf({ kind, batch, options }: Command, name: string): readonly string[] {
    const { first, resend, again, perPhone } = options;
    const limits = ['--rate', 'none', '--at-most', '99', ...(first === undefined ? [] : ['--first', String(first)])];
    const resending = resend === undefined || (resend === 'changed' && kind !== 'send') ? [] : ['--resend', resend];
    if (kind === 'resume') return ['batches', 'resume', name, '--at-most', '99', '--rate', 'none', ...resending];
    const common = [
      write('people.csv', csv(file)),
      '--batch',
      name,
      ...limits,
      ...resending,
      ...(options.where === undefined ? [] : ['--where', options.where]),
      ...(options.country === undefined ? [] : ['--country', options.country]),
    ];
    if (kind === 'import') return ['contacts', 'import', ...common];
    const never = options.excluded && write('never.txt', options.excluded.map(phoneOf).join('\n'));
    return [
      'send-batch',
      'sale',
      '-p',
      ':name',
      '--param=:order',
      '--no-memory',
      ...common,
      ...(never === undefined ? [] : ['--exclude-from', never]),
      ...(again ? ['--again'] : []),
      ...(options.default === undefined ? [] : ['--default', options.default]),
      ...(batch === 'c' ? ['--per', 'order'] : perPhone ? ['--per', 'phone'] : []),
    ];
  }

  /** The counts of show, list and report; undefined if there is no such batch. */
  async function shown(name: string): Promise<Counts | undefined> {
    const list = await json(['batches', 'list']);
    const listed = list.find((batch: { readonly name: string }) => batch.name === name);
    if (listed === undefined) return undefined;
    const batch = await json(['batches', 'show', name]);
    expect(countsOf(listed)).toEqual(countsOf(batch));
    expect(listed.rows).toBe(batch.rows);
    checkSums(batch);
    await checkReport(name, batch);
    return { ...countsOf(batch), rows: batch.rows };
  }

  async function checkReport(name: string, batch: Counts): Promise<void> {
    const report = await json(['batches', 'report', name]);
    const having = (outcome: string) =>
      report.filter((row: { readonly bizmsg_outcome: string }) => row.bizmsg_outcome === outcome);
    expect(outcomes.map((outcome) => having(outcome.replace('_', '-')).length)).toEqual(
      outcomes.map((outcome) => batch[outcome]),
    );
    expect(new Set(report.map((row: { readonly bizmsg_row: string }) => row.bizmsg_row)).size).toBe(batch.rows);
  }
}

/** Blank lines are not rows. */
function csv(file: readonly Row[]): string {
  const lines = file.map(({ person, spelling, name, order, broken }) => {
    const phone = broken ?? spellings[spelling]?.(person) ?? '';
    return `${phone},${name},${order}\n`;
  });
  return `phone,name,order\n${lines.join('\n')}`;
}

function countsOf({ sent, failed, unsure, waiting, not_sent }: Counts) {
  return { sent, failed, unsure, waiting, not_sent };
}

function totalOf(counts: Counts): number {
  return outcomes.reduce((sum, outcome) => sum + counts[outcome], 0);
}

interface Reasons {
  readonly reasons: readonly { readonly outcome: string; readonly reason: string; readonly count: number }[];
}

interface End extends Counts, Reasons {
  readonly now: Readonly<Record<'sent' | 'failed' | 'unsure', number>>;
  readonly others: number;
}

/** The outcomes add up to the rows, and the reasons to the outcomes. */
function checkSums(counts: Counts & Reasons): void {
  expect(totalOf(counts)).toBe(counts.rows);
  for (const wanted of ['failed', 'unsure', 'not_sent'] as const) {
    const reasons = counts.reasons.filter(({ outcome }) => outcome === wanted);
    expect([wanted, reasons.reduce((sum, { count }) => sum + count, 0)]).toEqual([wanted, counts[wanted]]);
  }
}

function notSent({ reasons }: Reasons): readonly string[] {
  return reasons.flatMap(({ outcome, reason, count }) => (outcome === 'not_sent' ? `${count} ${reason}` : [])).sort();
}
