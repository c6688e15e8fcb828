import { basename } from 'node:path';
import { usage } from '../base/errors.ts';
import { type Context, streaming } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { rowsText, whole, zonedTime } from '../cli/output/figures.ts';
import { argument, choice, chosen, flag, knowing, option } from '../cli/params.ts';
import type { FileRow } from '../runs/file-report.ts';
import type { ListedRun, RunsHome } from '../runs/listing.ts';
import { outcomes, type ShownOutcome, type ShownRow } from '../runs/report.ts';
import { currentTeam } from '../session/team.ts';

export const runId = knowing(
  'runs',
  argument('[id]', 'the id of a run, its first characters, or the name of a job (default: the latest)'),
);

/** Where the runs of this machine and its team are kept. */
export function homeOf(context: Context): RunsHome {
  const { stateFolder, host, note } = context;
  return { stateFolder: stateFolder(), host, note, team: () => currentTeam(context) };
}

const filters = outcomes.filter((one) => one !== 'in flight');

export const showRun = streaming({
  name: 'show',
  summary: 'Show the outcome of each row of a run, with the columns of its file',
  details: [
    'Each row of the file is shown once: its own columns, then its line, outcome, time, id at the service, reason, and',
    'the run that sent it. Rows are matched by person, so the file may have been sorted or edited since. bizmsg does',
    'not keep the file; without it, rows are named by their line. -o csv prints a report for others, and send-batch',
    '--exclude-from report.csv leaves out whom the run reached.',
    '--delivery knows the messages of the running local sandbox, and the events that bizmsg webhooks listen received',
    'on this machine.',
  ].join('\n'),
  params: {
    id: runId,
    with: option('--with <file>', 'the file of the run, if it was moved or read from stdin'),
    outcome: {
      ...choice('--outcome <outcome>', 'only rows with this outcome', filters),
      repeats: true,
      read: (texts: readonly string[]) => texts.map((text) => chosen(text, filters)),
    },
    delivery: flag('--delivery', 'also show whether each message was delivered, read or failed'),
  },
  examples: [
    'runs show',
    'runs show 3f9a1c20be41 --outcome failed --outcome invalid',
    'runs show 3f9a1c20be41 --delivery',
    'runs show 3f9a1c20be41 -o csv',
  ],
  sample:
    'phone\tname\tline\toutcome\tat\tid\treason\trun\n+12025550111\tAda\t2\tsent\t2026-…\tcon_sandbox_1\t\t3f9a1c20be41\n1.20256E+10\tEdsger\t3\tinvalid\t\t\tphone: "1.20256E+10" is not a phone number…\t',
  accepts: ['profile', ...printOptions],
  piped: 'rows',
  lists: true,
  async *run(context, { id, with: given, outcome, delivery }) {
    const [{ runNamed, runsOf }, { openReport }] = await Promise.all([
      import('../runs/listing.ts'),
      import('../runs/file-report.ts'),
    ]);
    const home = homeOf(context);
    const run = runNamed(await runsOf(home), id);
    const isBatch = run.kind === 'message';
    if (delivery && !isBatch) context.note('not-messages', 'this run is an import, and contacts are not delivered');
    const report = await openReport({ context, home, run, given });
    let count = 0;
    try {
      const isIds = context.given.output === 'id';
      const isWanted = (row: ShownRow) =>
        (outcome.length === 0 || outcome.some((one) => one === row.outcome)) && (!isIds || row.id !== undefined);
      const read = () => wantedRows(report.read(), isWanted);
      const deliveries = delivery && isBatch ? await deliveriesOf(context, read()) : undefined;
      const columns = isIds ? [] : report.columns;
      const names = namesFor(columns, delivery);
      checkColumns(context, [...columns, ...Object.values(names)]);
      context.listForm.separator = report.delimiter;
      context.listForm.first = [columns[0] ?? names.line, names.outcome, names.delivery, names.reason].flatMap(
        (name) => name ?? [],
      );
      if (context.host.stdout.isTTY && context.showsLines) context.reporter.say(await summaryOf(run, read()));
      for await (const rows of read()) {
        count += rows.length;
        yield rows.map((row) => recordOf(row, { columns, names, isBatch, deliveries }));
      }
    } finally {
      await report.close();
    }
    if (count === 0) context.note('empty', 'there are no such rows');
    return { count };
  },
  line: () => '',
  view: () => '',
});

async function* wantedRows(batches: AsyncIterable<readonly FileRow[]>, isWanted: (row: FileRow) => boolean) {
  for await (const rows of batches) {
    const wanted = rows.filter(isWanted);
    if (wanted.length > 0) yield wanted;
  }
}

type Deliveries = ReadonlyMap<string, { readonly delivery: string; readonly reason?: string | undefined }>;

async function deliveriesOf(context: Context, batches: AsyncIterable<readonly FileRow[]>): Promise<Deliveries> {
  const ids = new Set<string>();
  for await (const rows of batches) for (const { id } of rows) if (id !== undefined) ids.add(id);
  const { messageOutcomes } = await import('./message-outcomes.ts');
  const found = await messageOutcomes(context, ids);
  if (ids.size > 0 && found.size === 0)
    context.note('no-events', 'nothing is known about these messages; bizmsg webhooks listen records their events');
  return found;
}

type Names = ReturnType<typeof namesFor>;

/** The columns about outcomes. One that the file has, too, gets a prefix. */
function namesFor(columns: readonly string[], delivery: boolean) {
  const known = new Set(columns.map((name) => name.toLowerCase()));
  const free = (name: string) => (known.has(name) ? `bizmsg_${name}` : name);
  return {
    line: free('line'),
    outcome: free('outcome'),
    ...(delivery && { delivery: free('delivery') }),
    at: free('at'),
    id: free('id'),
    reason: free('reason'),
    run: free('run'),
  };
}

interface Printing {
  /** Of the file. */
  readonly columns: readonly string[];
  readonly names: Names;
  readonly isBatch: boolean;
  readonly deliveries: Deliveries | undefined;
}

function recordOf(row: FileRow, { columns, names, isBatch, deliveries }: Printing): Readonly<Record<string, unknown>> {
  const { fields, line, outcome, at, id, reason, run } = row;
  const known = id === undefined ? undefined : deliveries?.get(id);
  const delivery = outcome === 'sent' && isBatch ? (known?.delivery ?? 'unknown') : null;
  return {
    ...Object.fromEntries(columns.map((name) => [name, Object.hasOwn(fields, name) ? fields[name] : null])),
    [names.line]: line,
    [names.outcome]: outcome,
    ...(names.delivery !== undefined && { [names.delivery]: delivery }),
    [names.at]: at === undefined ? null : new Date(at).toISOString(),
    [names.id]: id ?? null,
    [names.reason]: reason ?? known?.reason ?? null,
    [names.run]: run ?? null,
  };
}

function checkColumns({ given }: Context, columns: readonly string[]): void {
  const missing = given.columns?.find((name) => !columns.includes(name) && !columns.includes(name.split('.')[0] ?? ''));
  if (missing !== undefined)
    throw usage(`--columns: there is no column "${missing}"`, `these have ${columns.join(', ')}`);
}

/** One line above the table. */
async function summaryOf(run: ListedRun, batches: AsyncIterable<readonly FileRow[]>): Promise<string> {
  const counts = new Map<ShownOutcome, number>();
  let rows = 0;
  for await (const batch of batches)
    for (const { outcome } of batch) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      rows += 1;
    }
  const parts = outcomes.flatMap((name) => {
    const count = counts.get(name) ?? 0;
    return count > 0 ? `${whole(count)} ${name.replace('_', ' ')}` : [];
  });
  const what = [run.template ?? run.command, run.file === undefined ? 'stdin' : basename(run.file)].join(', ');
  return `Run ${run.id} (${what}, ${zonedTime(run.startedAt)}): ${rowsText(rows)}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}
