import { type Database, query } from '../../src/base/transaction.ts';
import { type Batch, batchesNamed, batchesOf, type Scope } from '../../src/store/batch.ts';
import { cancel, remove } from '../../src/store/cancel.ts';
import { decide, decideResume, type Group, type Plan, type Resend } from '../../src/store/decide.ts';
import { addRows, exclude, type NewRow, openDraft } from '../../src/store/draft.ts';
import { ending, markReported, totalsOfAll } from '../../src/store/tally.ts';
import { apply, begin as beginLoad, beginResume, redecide } from '../../src/store/load.ts';
import { mark } from '../../src/store/mark.ts';
import { addOptOuts, removeOptOuts } from '../../src/store/opt-outs.ts';
import { admitSingle } from '../../src/store/single.ts';
import { reportRows, waitingBatches } from '../../src/store/views.ts';
import { whichBatch } from '../../src/store/which.ts';
import { type Answer as Settling, beat, claim, declareDead, release, settle } from '../../src/store/work.ts';
import { tick } from './model.ts';
import {
  type Answer,
  type Cells,
  type FileRow,
  type How,
  type MarkOptions,
  type Message,
  type Named,
  type Process,
  type ResumeOptions,
  type Result,
  type SendOptions,
  type SingleOptions,
  type World,
  done,
  processOf,
  receive,
  runToEnd,
  singleResult,
  type Worker,
} from './world.ts';

const moment = (hours: number) => 1_700_000_000_000 + Math.round(hours * 3_600_000);

/** A command line as small as can be over the store. It takes its moments exactly as the model does. */
export function createStoreWorld(database: Database, pieceSize?: number): World {
  const messages: Message[] = [];
  let ids = 0;
  const working = new Set<string>();
  const world: World = {
    now: 0,
    messages,
    answer: (): Answer => 'sent',
    sendBatch: async (options, how) => runToEnd(world, await sendBatch(options), how),
    begin: async (options) => sendBatch(options),
    resume: async (options) => runToEnd(world, await resume(options)),
    mark: markRows,
    cancel: cancelRows,
    remove: async (named) => {
      const batch = await find(named);
      if (!batch) return done(5);
      return done((await remove(database, batch.id, at())).kind === 'done' ? 0 : 11);
    },
    sendTemplate,
    optOut: async (account, phone) => void (await addOptOuts(database, account, [{ phone, at: at(), word: '' }])),
    optIn: async (account, phone) => void (await removeOptOuts(database, account, [phone])),
    pass,
    rows,
    batches,
  };
  return world;

  function at(): number {
    return moment(world.now);
  }

  function newId(): string {
    return (++ids).toString(16).padStart(12, '0');
  }

  async function find({ account = 'A', mode = 'live', name }: Named): Promise<Batch | undefined> {
    const named = batchesNamed(await database.read(() => batchesOf({ account, mode })), name);
    return named.length === 1 ? named[0] : undefined;
  }

  async function sendBatch(o: SendOptions): Promise<Process | Result> {
    const { account = 'A', mode = 'live', kind = 'message', template = 'T', resend = [] } = o;
    const scope = { account, mode, kind, template };
    const given = o.batch ?? o.file?.name ?? o.fromBatch?.split(':')[0] ?? '';
    const proposal = given.toLowerCase().replace('{date}', `d${Math.floor(world.now / 24)}`);
    const which = await whichBatch(database, {
      scope,
      name: o.batch === undefined ? undefined : proposal,
      proposal,
      per: o.per === 'phone' ? '' : o.per,
      needsName: o.terminal === undefined,
      now: at(),
    });
    if (which.kind === 'unnamed' || which.kind === 'different') return done(2);
    if (which.kind === 'cancelled' || which.kind === 'working') return done(11);
    if (kind === 'import' && resend.includes('changed')) return done(2);
    const file = o.fromBatch === undefined ? o.file?.rows : await peopleOf(o.fromBatch, scope, o.text);
    if (!file) return done(5);
    const target = which.kind === 'batch' ? which.batch : undefined;
    const name = which.kind === 'new' ? which.name : which.batch.name;
    if (!target) world.now += tick;
    const againAt = target?.againAt || (o.again ? moment((world.now += tick)) : 0);
    const per = target?.per ?? (o.per === 'phone' ? '' : (o.per ?? ''));
    const where = o.where ?? (o.noWhere || !target ? {} : kept(target));
    const draft = await openDraft(database, { id: newId(), scope, target, now: at() });
    await addRows(database, draft, file.map(rowOf(scope, per, where)), at());
    await database.write(() => exclude(draft.id, o.excludeFrom ?? []));
    const dropsExcluded = o.noExcludeFrom === true;
    const plan: Plan = { draft, file: o.file?.name ?? '', againAt, resend, dropsExcluded, now: at() };
    const groups = await decide(database, plan);
    const count = counter(groups);
    if (count('twice, another text') > 0 && mode === 'live' && !o.terminal && o.per !== 'phone') return done(11);
    const isHeld = groups.some(
      ({ fate, by }) => ['on its way', 'unsure elsewhere', 'another text'].includes(fate) || by !== undefined,
    );
    if (o.terminal === 'all' && !againAt && isHeld) return sendBatch({ ...o, again: true, terminal: 'others' });
    const left = Math.max(0, (o.first ?? Infinity) - (await reached(target)));
    const planned = Math.min(count('waiting'), left) + count('resend');
    if (o.terminal === 'nobody' || planned > (o.atMost ?? Infinity)) return done(11);
    const worker = newId();
    const told = JSON.stringify({ where });
    const begun = await beginLoad(database, plan, { name, per, told, command: '', columns: '[]' }, worker);
    const isTrouble = count('changed') > 0;
    const work = { batch: begun, worker, isOfFile: true, resend, first: o.first ?? Infinity, isTrouble };
    return begin(work, () => apply(database, plan, loading(work, where)));
  }

  async function resume(o: ResumeOptions): Promise<Process | Result> {
    const { account = 'A', mode = 'live', resend = [] } = o;
    const waiting = o.name === undefined ? await waitingBatches(database, { account, mode }) : [];
    if (o.name === undefined && waiting.length !== 1) return done(11);
    const batch = o.name === undefined ? waiting[0] : await find({ account, mode, name: o.name });
    if (!batch) return done(5);
    if (batch.until > at() || batch.isCancelled || batch.isLoading) return done(11);
    if (resend.includes('changed')) return done(2);
    const fates = counter(await decideResume(database, { batch, resend, now: at() }));
    const worker = newId();
    const excluded = o.excludeFrom ?? [];
    const begun = await beginResume(database, { batch, excluded, resend, worker, now: at() });
    const isTrouble = fates('changed') > 0;
    const work = { batch: begun, worker, isOfFile: false, resend, first: Infinity, isTrouble };
    const planned = o.excludeFrom ? undefined : fates('waiting') + fates('resend');
    return begin({ ...work, planned }, () => redecide(database, loading(work, kept(batch))));
  }

  function loading(work: Work, where: Cells) {
    const isUnwanted = (cells: string) => !fits(JSON.parse(cells), where);
    return { ...work, clock: at, isUnwanted, ...(pieceSize && { pieceSize }) };
  }

  interface Work {
    readonly batch: Batch;
    readonly worker: string;
    readonly isOfFile: boolean;
    readonly resend: readonly Resend[];
    readonly first: number;
    readonly isTrouble: boolean;
    /** How many rows `decideResume` says are sent. */
    readonly planned?: number | undefined;
  }

  function begin(work: Work, load: () => Promise<void>): Process {
    const state = { isAlive: true, isStopping: false };
    working.add(work.worker);
    return processOf(state, steer(work, load, state), async () => {
      working.delete(work.worker);
      await declareDead(database, work.batch.id, work.worker);
    });
  }

  async function* steer(work: Work, load: () => Promise<void>, state: Worker): AsyncGenerator<string, Result, void> {
    const { batch, worker, isOfFile, resend } = work;
    const { id } = batch;
    let { isTrouble } = work;
    let sent = 0;
    await load();
    const ready = (await totalsOfAll(database)).get(id)?.get('waiting') ?? 0;
    if (work.planned !== undefined && ready > work.planned) throw new Error('the decision was different');
    if (isOfFile) await setLoading(id, 1);
    for (let n = await countRows(id); n > 0; n--) yield 'applied';
    if (isOfFile) await setLoading(id, 0);
    for (let after = 0; !state.isStopping;) {
      const isFull = (await reached(batch)) >= work.first;
      const now = moment(world.now + tick);
      const claims = await claim(database, { id, worker, isOfFile, resend, isFull, after, now });
      if (claims.kind === 'cancelled') break;
      ({ after } = claims);
      isTrouble ||= claims.skipped.length > 0;
      const { row } = claims;
      if (!row) break;
      const claimedAt = (world.now += tick);
      yield 'claimed';
      const { who: phone, body: text } = row;
      const message = { ...batch.scope, ...row, phone, text, name: batch.name, at: claimedAt };
      const answer = receive(world, messages, message);
      yield 'answered';
      const settled = await settle(database, { batch: id, worker, claim: row, answer: settling(answer), now: at() });
      if (answer === 'sent') sent++;
      isTrouble ||= settled === 'kept';
      yield 'settled';
    }
    const { news } = await ending(database, { id: batch.id, load: isOfFile ? batch.load : 0 });
    const { waiting, others, ...trouble } = news;
    await markReported(database, batch, isOfFile);
    await release(database, id, worker, at());
    if (state.isStopping && waiting > 0) return { exit: 130, sent };
    const isNews = trouble.failed + trouble.unsure + trouble.held + others > 0;
    const isElsewhere = batch.scope.kind === 'message' && trouble.elsewhere > 0;
    return { exit: isTrouble || isNews || isElsewhere ? 10 : 0, sent };
  }

  /** A lease would end long before the next command, but a process that lives shows it every 30 s. */
  async function pass(hours: number): Promise<void> {
    const all = await database.read(() => query('SELECT id, worker, until FROM batch'));
    world.now += hours;
    for (const { id, worker, until } of all)
      if (Number(until) > 0 && working.has(String(worker))) {
        await database.write(() => query('UPDATE batch SET until = $2 WHERE id = $1', String(id), at() + 1));
        await beat(database, String(id), String(worker), at());
      }
  }

  async function markRows({ account = 'A', mode = 'live', name, phone, lines, as }: MarkOptions): Promise<Result> {
    const owner = { account, mode };
    const batch = name === undefined ? undefined : await find({ ...owner, name });
    if (name !== undefined && !batch) return done(0);
    const all = await database.read(() => query('SELECT batch, n, line, who FROM item'));
    const isMeant = (row: (typeof all)[number]) =>
      (!lines || lines.includes(Number(row['line']))) &&
      (!phone || row['who'] === phone) &&
      (!batch || row['batch'] === batch.id);
    const rows = batch && phone ? all.filter(isMeant) : lines && all.filter(isMeant);
    const meant = batch ? { batch: batch.id } : { phone: phone ?? '' };
    if (batch?.per && phone && !lines && (await unsureOf(batch, phone)) > 1) return done(2);
    const hasNumber = rows && ((n: number) => rows.some((row) => row['n'] === n));
    const marked = await mark(database, { owner, meant, rows: hasNumber, as, now: at() });
    return done({ marked: 0, working: 11, several: 2 }[marked.kind]);
  }

  async function unsureOf(batch: Batch, phone: string): Promise<number> {
    const sql = "SELECT n FROM item WHERE batch = $1 AND who = $2 AND state IN ('unsure', 'under way')";
    return (await database.read(() => query(sql, batch.id, phone))).length;
  }

  async function cancelRows({ missing, person, ...named }: Parameters<World['cancel']>[0]): Promise<Result> {
    const batch = await find(named);
    if (!batch) return done(5);
    const what = missing ? 'missing' : person ? { phone: person } : 'all';
    return done((await cancel(database, batch, what, at())).kind === 'done' ? 0 : 11);
  }

  async function sendTemplate(o: SingleOptions, how: How = {}): Promise<Result> {
    const { account = 'A', mode = 'live', phone, text, again = false } = o;
    const scope = { account, mode, kind: 'message', template: 'T' } as const;
    const now = moment(world.now + tick);
    const admitted = await admitSingle(database, { scope, phone, body: text, isAgain: again, worker: '', now });
    if (admitted.kind !== 'admitted') return done(11);
    world.now += tick;
    const message = { ...scope, phone, per: '', text, at: world.now, name: '' };
    const answer = how.killAt === 0 ? 'unsure' : receive(world, messages, message);
    const settlement = { batch: '', worker: '', claim: admitted.claim, answer: settling(answer), now: at() };
    await settle(database, settlement);
    return singleResult(answer);
  }

  async function peopleOf(
    fromBatch: string,
    { account, mode }: Scope,
    text: string | undefined,
  ): Promise<readonly FileRow[] | undefined> {
    const [name = '', outcome] = fromBatch.split(':');
    const batch = await find({ account, mode, name });
    if (!batch) return undefined;
    const all = await reportRows(database, { id: batch.id, after: 0, limit: 1000, now: at() });
    const wanted = ['failed', 'waiting', 'unsure'].find((state) => state === outcome) ?? 'sent';
    const rows = all.filter(({ state }) => state === wanted);
    return rows.map(({ cells, body }) => ({ ...JSON.parse(String(cells)), text: text ?? String(body) }));
  }

  async function reached(batch: Batch | undefined): Promise<number> {
    const sql = "SELECT n FROM item WHERE batch = $1 AND state IN ('sent', 'unsure') AND by IS NULL";
    return (await database.read(() => query(sql, batch?.id ?? '-'))).length;
  }

  async function countRows(id: string): Promise<number> {
    return (await database.read(() => query("SELECT n FROM item WHERE batch = $1 AND state <> 'twice'", id))).length;
  }

  async function setLoading(id: string, loading: number): Promise<void> {
    await database.write(() => query('UPDATE batch SET loading = $2 WHERE id = $1', id, loading));
  }

  async function batches() {
    const both = ['live', 'sandbox'] as const;
    const owners = ['A', 'B'].flatMap((account) => both.map((mode) => ({ account, mode })));
    const all = await Promise.all(owners.map((owner) => database.read(() => batchesOf(owner))));
    const flat = all.flat().sort((a, b) => (a.id < b.id ? -1 : 1));
    return flat.map(({ scope, name, isCancelled, isLoading }) => ({ ...scope, name, isCancelled, isLoading }));
  }

  async function rows() {
    const sql = `SELECT i.*, b.name, b.until FROM item i LEFT JOIN batch b ON b.id = i.batch
      WHERE i.state <> 'twice' AND (i.batch = '' OR b.name <> '')`;
    const all = await database.read(() => query(sql));
    return all.map((row) => ({
      batch: String(row['name'] ?? ''),
      phone: String(row['who']),
      per: String(row['per']),
      line: Number(row['line']),
      state: shownState(row, at()),
      text: String(row['text']),
      by: row['state'] === 'sent' ? String(row['by'] ?? '-') : '-',
    }));
  }
}

function shownState(row: Readonly<Record<string, unknown>>, now: number): string {
  if (row['state'] === 'not sent') return String(row['reason']);
  return row['state'] === 'under way' && !(Number(row['until']) > now) ? 'unsure' : String(row['state']);
}

function counter(groups: readonly Group[]): (fate: string) => number {
  return (fate) => groups.reduce((sum, group) => sum + (group.fate === fate ? group.count : 0), 0);
}

function kept({ told }: Batch): Cells {
  return JSON.parse(told).where;
}

function fits(cells: Cells, where: Cells): boolean {
  return Object.entries(where).every(([column, value]) => cells[column] === value);
}

function rowOf({ kind }: Scope, per: string, where: Cells) {
  return ({ bizmsg_row: fixes, text, ...rest }: FileRow, at: number): NewRow => {
    const cells = Object.fromEntries(Object.entries(rest).map(([column, cell]) => [column, String(cell)]));
    const isPhone = cells['phone']?.startsWith('+');
    return {
      n: at + 1,
      line: at + 1,
      phone: isPhone ? cells['phone'] : undefined,
      per: per ? (cells[per] ?? '').trim() : '',
      body: kind === 'import' && !isPhone ? JSON.stringify([cells, text]) : text,
      cells: JSON.stringify(cells),
      problem: !isPhone && kind === 'message' ? 'no phone number' : undefined,
      isUnwanted: !fits(cells, where),
      fixes,
    };
  };
}

function settling(answer: Answer): Settling {
  if (answer === 'sent') return { kind: 'sent' };
  if (answer === 'failed') return { kind: 'failed', reason: 'refused', code: '400' };
  return { kind: 'unsure', reason: 'no answer', code: 'timeout' };
}
