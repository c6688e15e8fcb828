import { closing } from '../base/transaction.ts';
import { usage } from '../base/errors.ts';
import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { counted } from '../cli/output/figures.ts';
import { words } from '../cli/params.ts';
import { isRecord } from '../contract/readers.ts';
import { refuseAgentAsPerson } from '../session/agents.ts';
import { currentCaller } from '../session/caller.ts';
import { openOwnRecord } from '../session/record.ts';
import { addOptOuts, listOptOuts, removeOptOuts } from '../store/opt-outs.ts';
import { jsonIn } from './body.ts';
import { typedPhone } from '../cli/phones.ts';

const accepts = ['profile', 'mode', 'baseUrl', ...printOptions] as const;
const params = { phones: words('<phones...>', 'phones, or - for a list on stdin') } as const;

const list = command({
  name: 'list',
  summary: 'List the people who are never messaged',
  details: `The list belongs to the account, with all its profiles and keys on this machine. webhooks listen
    --opt-outs adds people who reply STOP. It also holds with a sandbox key, and --again does not lift it.`,
  params: {},
  examples: ['opt-outs list --profile local', 'opt-outs list --profile local -o csv'],
  accepts,
  piped: 'rows',
  run: async (context) => {
    const record = await openOwnRecord(context, 'read');
    const optOuts = await closing(record, ({ database, account }) => listOptOuts(database, account));
    return optOuts.map(({ phone, at, word }) => ({ phone, at: new Date(at).toISOString(), word: word || null }));
  },
  view: () => 'Nobody has opted out',
});

const add = command({
  name: 'add',
  summary: 'Add people who are never messaged',
  params,
  examples: ['opt-outs add +12025550101 --profile local', 'opt-outs add - --profile local < opt-outs.csv'],
  accepts,
  changes: true,
  run: async (context, input) => {
    const [phones, at] = [await phonesOf(context, input.phones), context.host.now()];
    const optOuts = phones.map((phone) => ({ phone, at, word: '' }));
    const record = await openOwnRecord(context, 'write');
    const added = await closing(record, ({ database, account }) => addOptOuts(database, account, optOuts));
    return { added, known: phones.length - added };
  },
  view: ({ added, known }, ui) =>
    `${ui.color.green('Added')} ${people(added)} to the opt-outs${known > 0 ? `; ${people(known)} had opted out before` : ''}`,
});

const remove = command({
  name: 'remove',
  summary: 'Remove people, who get messages again then',
  params,
  examples: ['opt-outs remove +12025550101 --profile local'],
  accepts,
  changes: true,
  run: async (context, input) => {
    if (currentCaller(context).kind !== 'local') refuseAgentAsPerson(context.host.env);
    const phones = await phonesOf(context, input.phones);
    const record = await openOwnRecord(context, 'write');
    const removed = await closing(record, ({ database, account }) => removeOptOuts(database, account, phones));
    return { removed, unknown: phones.length - removed };
  },
  view: ({ removed, unknown }, ui) =>
    `${ui.color.green('Removed')} ${people(removed)} from the opt-outs${unknown > 0 ? `; ${people(unknown)} had not opted out` : ''}`,
});

export const optOutsCommands = [list, add, remove];

function people(count: number): string {
  return counted(count, 'person', 'people');
}

/** The phones of the command line, each once. */
async function phonesOf(context: Context, typed: readonly string[]): Promise<readonly string[]> {
  const listed = typed.includes('-') ? listedIn(await context.stdin()) : [];
  const texts = typed.filter((text) => text !== '-');
  const phones = new Set<string>();
  for (const text of [...texts, ...listed]) phones.add(await typedPhone(context, text));
  if (phones.size === 0) throw usage('stdin has no phones', 'give one on each line');
  return [...phones];
}

/** The phones of a list, or of what `opt-outs list` prints in any format. */
function listedIn(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (/^[[{]/.test(text)) {
    const records = text.startsWith('[') ? [jsonIn(text, 'stdin')].flat() : lines.map((line) => jsonIn(line, 'stdin'));
    return records.map((record) => (isRecord(record) ? String(record['phone']) : ''));
  }
  const cells = lines.map((line) => line.split(/[\t,;]/, 1).join(''));
  return cells[0] === 'phone' ? cells.slice(1) : cells;
}
