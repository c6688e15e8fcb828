import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import { temporaryHome } from '../support/bin.ts';
import { isLong } from '../support/long-tests.ts';
import * as rig from './rig.ts';
import type { Machine, Team } from './rig.ts';

/** SQL of values that run something, leave a folder, or change a terminal if they are not checked or quoted. */
const texts = {
  'a path': "'x/../..'",
  'a command': "'x;touch PWNED;#'",
  'a substitution': "'$(touch PWNED)`touch PWNED`'",
  'an option': "'--again'",
  'an escape sequence': String.raw`E'\x1b]0;PWNED\x07\x1b[2J\u009b31m'`,
  'a changed direction': String.raw`E'\u202e\u2066fdp'`,
  'two lines': String.raw`E'x\ntouch PWNED\r'`,
  nothing: "''",
  'a word for nothing': "'undefined'",
  'a prototype': `'{"__proto__":{"a":1},"constructor":1}'`,
  'deep nesting': "repeat('[', 200000)",
  'a huge text': "repeat('x', 2000000)",
} as const;

const numbers = { 'a negative number': '-1', 'a huge number': '9007199254740993', 'a late time': '9000000000000000' };

const columns = {
  batch: {
    text: ['id', 'name', 'per', 'told', 'command', 'columns', 'file', 'worker'],
    number: ['made_at', 'last_at', 'load', 'is_cancelled'],
  },
  item: {
    text: ['who', 'per', 'body', 'cells', 'text', 'state', 'reason', 'by', 'message_id', 'code', 'worker', 'told'],
    number: ['n', 'line', 'at', 'attempt', 'sent_at'],
  },
  scope: { text: ['template', 'kind', 'mode', 'account'], number: ['n'] },
  opt_out: { text: ['phone', 'word', 'account'], number: ['at'] },
  meta: { text: ['id', 'server'], number: ['version'] },
} as const;

/** Commands wait for it. */
const soon = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 1000';

/** Their index refuses long texts. */
const indexed = new Set<string>(['id', 'who', 'per', 'phone', 'account', 'mode', 'kind', 'template']);

/** SQL that changes one row, with a description. */
const changes = Object.entries(columns).flatMap(([table, { text, number }]) => [
  ...text.flatMap((column) => Object.entries(texts).map((value) => change(table, column, value))),
  ...number.flatMap((column) => Object.entries(numbers).map((value) => change(table, column, value))),
]);

function change(table: string, column: string, [what, value]: readonly [string, string]) {
  const sql = indexed.has(column) ? `left(${value}, 2000)` : value;
  const which = table === 'item' ? ' WHERE n = 2' : '';
  // The name of a worker is only shown while it works.
  const more = column === 'worker' ? `; UPDATE batch SET until = ${soon}` : '';
  return { what: `${what} as ${table}.${column}`, sql: `UPDATE ${table} SET ${column} = ${sql}${which}${more}` };
}

const words = (...lines: readonly string[]) => lines.map((line) => line.split(' '));

const commands = (machine: Machine): readonly (readonly string[])[] => [
  ...words('team status', 'batches list', 'batches show', 'batches show autumn', 'batches report autumn', 'history'),
  ...words(`history ${rig.phoneOf(2)}`, 'opt-outs list', 'batches mark autumn --sent'),
  rig.batch(machine).filter((word) => word !== '-o' && word !== 'json'),
  rig.resume().filter((word) => word !== '-o' && word !== 'json'),
  ...words('batches resume --at-most 9', 'batches cancel autumn --yes', 'batches delete autumn --yes'),
];

interface Place {
  readonly team: Team;
  readonly machine: Machine;
  readonly database: string;
}

/** A batch with a sent row, an unsure one and one that waits, and an opt-out. */
async function openPlace(): Promise<Place> {
  const team = await rig.newTeam(({ phone }) => ({ reply: phone === rig.phoneOf(2) ? 500 : phone === '' ? 400 : 200 }));
  const machine = await team.machine();
  rig.writePeople(machine, 3);
  await machine.run(rig.batch(machine, '--first', '2'));
  await machine.run(['opt-outs', 'add', rig.phoneOf(9)]);
  return { team, machine, database: rig.databaseIn(team.url) };
}

/** A copy of the team's database with a change. */
function changed({ database, team }: Place, at: number, sql: string): string {
  const name = `${database}_${at}`;
  team.server.sql(`CREATE DATABASE ${name} TEMPLATE ${database}`);
  // The machine must not take it for an older one.
  const tick = `UPDATE meta SET tick = tick + ${1_000 * (at + 1)}`;
  team.server.sql(`SET search_path = bizmsg; ${tick}; ${sql};`, name);
  return team.url.replace(database, name);
}

// oxlint-disable-next-line no-control-regex
const progress = /\r|\u001b\[\d*[AGK]|\u001b\[\?25[hl]/g;

// oxlint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** The files that a shell makes if a person pastes the commands that are shown, without `report.csv` and such. */
function pasted(shown: readonly string[]): readonly string[] {
  const { path, remove } = temporaryHome();
  onTestFinished(remove);
  const lines = shown.flatMap((text) => text.split('\n')).filter((line) => line.length < 10_000);
  const hints = new Set(lines.flatMap((line) => /\bbizmsg .*/.exec(line)?.[0] ?? []));
  const script = [...hints].map((hint) => `(eval "$(cat <<'END'\n${hint}\nEND\n)") </dev/null`).join('\n');
  execFileSync('bash', ['-c', `bizmsg() { :; }\n${script}\ntrue`], { cwd: path, stdio: 'pipe' });
  return readdirSync(path).filter((name) => name.includes('PWNED'));
}

/** `bench/kills.mjs` tries all. */
const most = Number(process.env['BIZMSG_CHANGES'] ?? (isLong ? 24 : 12));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it.skipIf(rig.isMissing)(
  `a changed value in the tables is refused, or shown harmlessly (${most} of ${changes.length}, seed ${seed})`,
  { timeout: 60_000 + most * 5_000 },
  async () => {
    const random = createRandom(seed);
    const place = await openPlace();
    const { machine } = place;
    const wrong: unknown[] = [];
    for (const [at, { what, sql }] of changes
      .toSorted(() => random() - 0.5)
      .slice(0, most)
      .entries()) {
      const url = changed(place, at, sql);
      const before = filesOf(machine);
      const shown: string[] = [];
      for (const words of commands(machine)) {
        const { code, stdout, stderr } = await machine.run(words, { url, terminal: 100, env: { NO_COLOR: '1' } });
        const text = (stdout + stderr).replaceAll(progress, '');
        if (![0, 2, 3, 5, 6, 10, 11].includes(code) || unsafe.test(text))
          wrong.push({ what, words: words.join(' '), code, text });
        shown.push(text);
      }
      expect({ what, files: filesOf(machine), pasted: pasted(shown) }).toEqual({ what, files: before, pasted: [] });
    }
    expect(wrong).toEqual([]);
  },
);

function filesOf({ home }: Machine): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).sort();
}
