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
  isText: fc.boolean(),
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

it(`the dry run, the end, show, list and report agree on the rows, in ${numRuns} random sequences of 4 to 6 commands`, async () => {
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
    const { kind, isText, isSameFile } = command;
    const name = kind === 'import' ? `import-${command.batch}` : command.batch;
    const before = last.get(name);
    if (kind === 'resume' && before === undefined) return 0;
    if (!isSameFile || file.length === 0) file = command.file;
    const argv = argvOf(command, name);
    const expected = kind === 'resume' ? undefined : await rehearsed(argv);
    const start = service.asked.length;
    const ran = await run([...argv, ...(isText ? [] : ['-o', 'json'])]);
    const asked = service.asked.slice(start);
    const by = (...wanted: readonly Reply[]) => asked.filter(({ reply }) => wanted.includes(reply)).length;
    const now = { sent: by(200), failed: by(400), unsure: by(500, 'reset') };
    if (ran.stdout === '') {
      expect(['listed-twice', 'no-waiting', 'nothing-waiting']).toContain(refusal(ran.stderr));
      expect([asked.length, await shown(name)]).toEqual([0, before]);
      return 0;
    }
    const batch = await shown(name);
    if (batch === undefined) throw new Error(`there is no batch ${name}`);
    last.set(name, batch);
    const end = isText ? endIn(ran.stdout) : JSON.parse(ran.stdout);
    if (!isText) {
      // An unsure row that is refused the second time stays unsure.
      const refused = command.options.resend === 'unsure' ? end.now.unsure - now.unsure : 0;
      expect(end.now).toEqual({ ...now, failed: now.failed - refused, unsure: now.unsure + refused });
      expect(refused).toBeGreaterThanOrEqual(0);
      for (const outcome of ['failed', 'unsure', 'not_sent'] as const)
        expect(sumOf(end.reasons, outcome)).toBe(end[outcome]);
    }
    if (kind !== 'resume' && end.rows !== undefined) expect(end.rows).toBe(file.length);
    const isOther = end.rows !== batch.rows;
    for (const outcome of outcomes)
      if (end[outcome] !== undefined && end.rows !== undefined)
        expect([outcome, batch[outcome] - end[outcome]]).toEqual([outcome, isOther ? expect.any(Number) : 0]);
    if (end.rows !== undefined) {
      expect(totalOf(end)).toBe(end.rows);
      expect(batch.waiting - end.waiting).toBe(end.others);
    }
    if (!expected || end.rows === undefined) return asked.length;
    const { first, resend } = command.options;
    // A row that is refused is not a person whom the batch has reached; one that is sent again may be held.
    const mayDiffer = end.stopped || (first !== undefined && now.failed > 0) || resend !== undefined;
    if (!mayDiffer) expect(asked.length).toBe(expected.to_send);
    if (first === undefined) expect(asked.length).toBeLessThanOrEqual(expected.to_send);
    if (resend === undefined)
      expect(countsOf(end)).toEqual({
        sent: expected.sent + now.sent,
        failed: expected.failed + now.failed,
        unsure: expected.unsure + now.unsure,
        waiting: expected.waiting + expected.to_send - asked.length,
        not_sent: expected.not_sent,
      });
    if (resend === undefined && !isText) expect(notSent(end)).toEqual(notSent(expected));
    return asked.length;
  }

  function argvOf({ kind, batch, options: given }: Command, name: string): readonly string[] {
    const { first, resend, again, perPhone } = given;
    const limits = ['--rate', 'none', '--at-most', '99', ...(first === undefined ? [] : ['--first', String(first)])];
    const resending = resend === undefined || (resend === 'changed' && kind !== 'send') ? [] : ['--resend', resend];
    if (kind === 'resume') return ['batches', 'resume', name, '--at-most', '99', '--rate', 'none', ...resending];
    const common = [
      write('people.csv', csv(file)),
      '--batch',
      name,
      ...limits,
      ...resending,
      ...(given.where === undefined ? [] : ['--where', given.where]),
      ...(given.country === undefined ? [] : ['--country', given.country]),
    ];
    if (kind === 'import') return ['contacts', 'import', ...common];
    const never = given.excluded && write('never.txt', given.excluded.map(phoneOf).join('\n'));
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
      ...(given.default === undefined ? [] : ['--default', given.default]),
      ...(batch === 'c' ? ['--per', 'order'] : perPhone ? ['--per', 'phone'] : []),
    ];
  }

  /** The counts of a dry run, in JSON and on the screen. */
  async function rehearsed(argv: readonly string[]) {
    const result = await json([...argv, '--dry-run']);
    expect([result.rows, totalOf(result) + result.to_send]).toEqual([file.length, file.length]);
    const { stdout } = await run([...argv, '--dry-run']);
    const lines = linesIn(stdout);
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`, ${file.length} rows?( · |$)`));
    expect({
      to_send: countIn(lines, 'to send', 'to import'),
      sent: countIn(lines, 'sent', 'imported'),
      failed: countIn(lines, 'failed'),
      unsure: countIn(lines, 'unsure'),
      waiting: countIn(lines.filter(isOfFile), 'waiting'),
      others: countIn(lines, 'waiting') - countIn(lines.filter(isOfFile), 'waiting'),
      not_sent: countIn(lines, 'not sent', 'held'),
    }).toEqual({ ...countsOf(result), to_send: result.to_send, others: result.others });
    return result;
  }

  /** The counts of show, list and report; undefined if there is no such batch. */
  async function shown(name: string): Promise<Counts | undefined> {
    const list = await json(['batches', 'list']);
    const listed = list.find((batch: { readonly name: string }) => batch.name === name);
    if (listed === undefined) return undefined;
    const batch = await json(['batches', 'show', name]);
    expect(countsOf(listed)).toEqual(countsOf(batch));
    expect([listed.rows, totalOf(batch)]).toEqual([batch.rows, batch.rows]);
    for (const outcome of ['failed', 'unsure', 'not_sent'] as const)
      expect(sumOf(batch.reasons, outcome)).toBe(batch[outcome]);
    const { stdout } = await run(['batches', 'show', name]);
    expect(stdout).toMatch(new RegExp(`people.csv, ${batch.rows} rows?, `));
    const lines = linesIn(stdout);
    const counts = outcomes.map((outcome) =>
      countIn(lines, outcome.replace('_', ' '), outcome.replace('sent', 'imported')),
    );
    expect(counts).toEqual(outcomes.map((outcome) => batch[outcome]));
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

function sumOf(reasons: readonly { readonly outcome: string; readonly count: number }[], wanted: string): number {
  return reasons.reduce((sum, { outcome, count }) => sum + (outcome === wanted ? count : 0), 0);
}

interface Reasons {
  readonly reasons: readonly { readonly outcome: string; readonly reason: string; readonly count: number }[];
}

function notSent({ reasons }: Reasons): readonly string[] {
  return reasons.flatMap(({ outcome, reason, count }) => (outcome === 'not_sent' ? `${count} ${reason}` : [])).sort();
}

interface Line {
  readonly count: number;
  readonly label: string;
  readonly text: string;
}

/** The lines of a screen that begin with a count. */
function linesIn(screen: string): readonly Line[] {
  const lines = screen.matchAll(/^ *(\d+) (to send|to import|not sent|\w+)(?: +(.*))?$/gm);
  return [...lines].map(([, count, label = '', text = '']) => ({ count: Number(count), label, text }));
}

function countIn(lines: readonly Line[], ...labels: readonly string[]): number {
  return lines.reduce((sum, { label, count }) => sum + (labels.includes(label) ? count : 0), 0);
}

const isOfFile = ({ text }: Line) => !text.startsWith('not in this file');

/** The counts of the last screen; of one that was stopped, those that it has. */
function endIn(screen: string) {
  const stopped = / stopped after /.test(screen);
  const lines = linesIn(screen);
  if (stopped) return { stopped };
  const [, sent, rows] = /: (\d+) of (\d+) (?:have|has|are) /.exec(screen) ?? [];
  const ofFile = lines.filter(isOfFile);
  return {
    rows: Number(rows),
    sent: Number(sent),
    failed: countIn(lines, 'failed'),
    unsure: countIn(lines, 'unsure'),
    waiting: countIn(ofFile, 'waiting'),
    not_sent: countIn(lines, 'not sent'),
    others: countIn(lines, 'waiting') - countIn(ofFile, 'waiting'),
    stopped,
  };
}

function refusal(stderr: string): unknown {
  return stderr.startsWith('{')
    ? errorIn(stderr)['code']
    : /with another text|no waiting/.test(stderr)
      ? 'listed-twice'
      : stderr;
}
