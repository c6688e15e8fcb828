import { unsafe, usage } from '../base/errors.ts';
import type { Database } from '../base/transaction.ts';
import type { Context } from '../cli/command.ts';
import { currentCaller } from '../session/caller.ts';
import { refuseWrongClock } from '../session/clock.ts';
import { hasRecord } from '../session/record-file.ts';
import { refuseKeys } from '../session/secrets.ts';
import type { BatchClient } from '../session/session.ts';
import type { Batch, Owner, Scope } from '../store/batch.ts';
import { cellsOf } from '../store/columns.ts';
import type { Resend } from '../store/decide.ts';
import type { ReportRow } from '../store/views.ts';
import { batchName, nameAfter } from '../store/which.ts';
import type { Input } from '../cli/params.ts';
import { answerWords, askForMissing, sayCommand } from './ask.ts';
import { type Choice, chooseBatch, requireBatch } from './choose.ts';
import { type Desk, openDesk } from './desk.ts';
import { type Input as Rows, mostFirst, openInput } from './input/input.ts';
import { type InputRow, namesIn, peek } from './input/row.ts';
import { type batchParams, type importParams, phoneIn, type Told } from './options.ts';
import type { Outcome } from './outcomes.ts';
import { columnsIn, isReportColumn, phoneColumn, type ReportOptions, reportPages, withPhone } from './report.ts';
import { mergeTold, type Settings, settingsOf, toldOf } from './settings.ts';
import { checkTemplate, findTemplate, type Template } from './template.ts';

/** A command that loads people into a batch and sends to them, with its options. An import lacks most of them. */
export type Order = Partial<Input<typeof batchParams & typeof importParams>> & {
  readonly command: 'send-batch' | 'contacts import';
  /** '' for an import. */
  readonly template: string;
  readonly file: string | undefined;
  readonly resend: readonly Resend[];
  /** Whether a person was asked for a part of the command. */
  readonly isAsked: boolean;
};

/** Everything that is known before the first row is read. */
export interface Loading {
  readonly desk: Desk;
  readonly order: Order;
  readonly scope: Scope;
  readonly choice: Choice;
  /** The column of `--per`, or ''. */
  readonly per: string;
  readonly settings: Settings;
  readonly input: Rows;
  /** The columns of the data, without those of a report. */
  readonly columns: readonly string[];
  readonly template: Template;
  /** Keys on this machine, which must not be sent or stored. */
  readonly secrets: readonly string[];
  /** Whether its batch is visible. */
  isBegun: boolean;
}

type Ends = Pick<Desk, 'signals' | 'emit'> & Pick<Loading, 'secrets'>;

/** Connects, finds the batch, and opens the input; asks a person for what is missing. */
export async function openLoading(context: Context, order: Order, ends: Ends): Promise<Loading> {
  const { interactive, given, host } = context;
  const name = order.batch === undefined ? undefined : batchName(order.batch, new Date(host.now()));
  const kind = order.command === 'send-batch' ? 'message' : 'import';
  const client = await context.clientForBatch(ends.signals);
  if (kind === 'message') refuseWithoutMemory(context, client, order);
  const { database, account, mode } = await client.record();
  const scope: Scope = { account, mode, kind, template: order.template };
  const per = order.per === 'phone' ? '' : order.per;
  const needsName = !interactive && !given.dryRun && order.test === undefined;
  const wanted = { scope, name, proposal: nameAfter(proposalOf(order)), per, needsName };
  const choice = await chooseBatch(context, database, wanted);
  const source = order.fromBatch === undefined ? undefined : await findSource(database, scope, order.fromBatch);
  const stored = mergeTold(source ? readingOf(source) : {}, choice.batch ? toldOf(choice.batch.told) : {});
  const settings = settingsOf(context, kind, stored, order);
  const desk = await openDesk({ ...ends, context, client, database }, settings.effective);
  const { encoding: usualEncoding, sheet } = settings.effective;
  const reading = { encoding: order.encoding, usualEncoding, sheet, signal: ends.signals.stop };
  const input = await (source ? peopleOf(context, database, source) : openInput(context, order.file ?? '', reading));
  try {
    const columns = input.columns.filter((name) => !isReportColumn(name));
    const about = { desk, order, scope, choice, per: choice.batch?.per ?? per ?? '', input, columns };
    return await complete({ ...about, settings, secrets: ends.secrets, isBegun: false });
  } catch (error) {
    input.close();
    throw error;
  }
}

/** With the template, and the answers of a person. */
async function complete(open: Omit<Loading, 'template'>): Promise<Loading> {
  const { desk, order, scope, settings, input, columns, secrets } = open;
  const { context, client } = desk;
  refuseKeys(input.columns, secrets);
  const template = await findTemplate(desk, scope);
  if (isLive(scope)) refuseWrongClock(client.skew());
  const asking = { kind: scope.kind, told: settings.effective, input, columns, facts: template.facts, secrets };
  const asked = await askForMissing(context, asking);
  refuseKeys(Object.values(asked).flat(), secrets);
  const answers = { ...asked, ...(input.encoding !== undefined && { encoding: input.encoding }) };
  const [told, effective] = [mergeTold(settings.told, answers), mergeTold(settings.effective, answers)];
  if (scope.kind === 'message') checkTemplate(context, template, scope, effective.param?.length ?? 0);
  const isAsked = order.isAsked || Object.keys(asked).length > 0;
  const names = [order.template, order.file ?? ''].filter((name) => name !== '');
  const options = answerWords(answers, settings.effective);
  if (isAsked) sayCommand(context, { command: order.command, names, typed: names, options });
  return { ...open, order: { ...order, isAsked }, template, settings: { ...settings, told, effective } };
}

function proposalOf({ file, fromBatch }: Order): string {
  if (file === '-') return 'stdin';
  return file ?? fromBatch?.split(':')[0] ?? '';
}

/** Whether messages reach people. */
export function isLive({ mode, kind }: Scope): boolean {
  return mode === 'live' && kind === 'message';
}

/** A runner that forgets everything would send everything again, each time. */
function refuseWithoutMemory(context: Context, { target, hasTeam }: BatchClient, { noMemory }: Order): void {
  const { interactive, given } = context;
  const isForgetful = target.mode !== 'sandbox' && !target.simulated && !given.dryRun;
  if (!isForgetful || hasTeam || hasRecord(context, 'ledger')) return;
  if (noMemory)
    return context.note('no-memory', 'this machine has no record yet: people who got the message before get it again');
  if (interactive || currentCaller(context).source !== 'BIZMSG_API_KEY') return;
  throw unsafe(
    'no-memory',
    'this machine has no record of who got the message before',
    'nothing was sent; keep the state folder on a disk, or --no-memory sends anyway, each time to all of the file',
  );
}

const sources = ['failed', 'waiting', 'unsure'] as const;

/** Some people of a batch. */
interface Source {
  readonly batch: Batch;
  readonly outcome: Outcome;
}

/** Those whom the batch reached, or `NAME:failed`, `:waiting` or `:unsure`. */
async function findSource(database: Database, owner: Owner, fromBatch: string): Promise<Source> {
  const [name = '', word] = fromBatch.split(':', 2);
  const outcome = sources.find((source) => source === word);
  if (word !== undefined && outcome === undefined)
    throw usage(`--from-batch: "${word}" is not one of ${sources.join(', ')}`, 'NAME alone means who got it');
  return { batch: await requireBatch(database, owner, name), outcome: outcome ?? 'sent' };
}

/** What the batch keeps for reading its rows. */
function readingOf({ batch }: Source): Told {
  const told = toldOf(batch.told);
  const phone = phoneIn(told);
  return { map: phone === undefined ? undefined : [`${phone}=phone`], country: told.country };
}

/** The people as an input. */
async function peopleOf(context: Context, database: Database, { batch, outcome }: Source): Promise<Rows> {
  const rows = rowsOf({ database, batch, outcomes: [outcome], now: context.host.now() });
  const { begun, all } = await peek(rows, mostFirst);
  const first = begun.flat().slice(0, mostFirst);
  const { columns, separator } = columnsIn(batch);
  return {
    name: `batch ${batch.name}`,
    path: undefined,
    columns: columns ?? namesIn(first),
    isTable: columns !== undefined,
    separator,
    encoding: undefined,
    unit: 'row',
    first,
    rows: all,
    close() {},
  };
}

async function* rowsOf(options: ReportOptions): AsyncGenerator<readonly InputRow[]> {
  for await (const page of reportPages(options)) yield page.map((row) => rowOf(row, options.batch));
}

/** Once its cells are erased, a row still has its phone. */
function rowOf({ n, line, who, cells }: ReportRow, batch: Batch): InputRow {
  if (cells !== undefined) return { number: n, line, fields: withPhone(cellsOf(cells), who, batch) };
  const column = phoneColumn(columnsIn(batch).columns ?? [], batch) ?? phoneIn(toldOf(batch.told)) ?? 'phone';
  return { number: n, line, fields: { [column]: who } };
}
