import {
  type Answer,
  type Cells,
  type FileRow,
  type How,
  type Kind,
  type MarkOptions,
  type Message,
  type Mode,
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

// The rule as a model. Time is in hours. Not in it: --test, --hours, 429 and 401, pace, erasing.

/** In hours, so that no two moments are the same. */
export const tick = 1e-6;

const sameText = 27 * 24;
const anyText = 20;
const tenMinutes = 1 / 6;

interface Scope {
  readonly account: string;
  readonly mode: Mode;
  readonly kind: Kind;
  readonly template: string;
}

interface Fact {
  state: string;
  text: string;
  at: number;
  by: string | undefined;
}

interface Row extends Fact {
  readonly n: number;
  scope: Scope;
  /** Undefined for a single message. */
  batch: Batch | undefined;
  phone: string;
  per: string;
  cells: Cells;
  line: number;
  load: number;
  reason: string | null;
  told: string | null;
  toldBy: string | undefined;
  earlier: readonly Fact[];
}

interface Copy extends Row {
  origin: Row | undefined;
  inFile: boolean;
  given?: string;
  isUnwanted?: boolean;
  resend?: string | undefined;
}

interface Batch {
  readonly id: number;
  readonly scope: Scope;
  readonly name: string;
  readonly file: string | undefined;
  readonly per: string;
  rows: Row[];
  excluded: ReadonlySet<string>;
  where: Cells;
  againAt: number | undefined;
  load: number;
  isLoading: boolean;
  isCancelled: boolean;
  worker: Worker | undefined;
}

type Steps = Generator<string, Result, void>;

export function createModel(): World {
  let batches: Batch[] = [];
  const singles: Row[] = [];
  const optOuts = new Set<string>();
  const messages: Message[] = [];
  const world: World = {
    now: 0,
    messages,
    answer: (): Answer => 'sent',
    sendBatch: (options, how) => runToEnd(world, begin(planOf(options)), how),
    begin: async (options) => begin(planOf(options)),
    resume: (options) => runToEnd(world, begin(resumePlan(options))),
    mark: async (options) => mark(options),
    cancel: async (options) => cancel(options),
    remove: async (options) => remove(options),
    sendTemplate: async (options, how) => sendTemplate(options, how),
    optOut: async (account, phone) => void optOuts.add(account + phone),
    optIn: async (account, phone) => void optOuts.delete(account + phone),
    pass: async (hours) => void (world.now += hours),
    rows: async () => everyRow().map(stateOf),
    batches: async () =>
      batches.map(({ scope, name, isCancelled, isLoading }) => ({ ...scope, name, isCancelled, isLoading })),
  };
  return world;

  function find({ account = 'A', mode = 'live', name }: Named): Batch | undefined {
    return batches.find(
      ({ scope, ...batch }) => batch.name === name && scope.account === account && scope.mode === mode,
    );
  }

  function everyRow(): readonly Row[] {
    return [...singles, ...batches.flatMap(({ rows }) => rows)];
  }

  /** The strongest reason of all others not to send, and the earliest of these. */
  function gotBefore(batch: Batch, row: Row, isClaim: boolean): Partial<Row> | undefined {
    const reasons = everyRow().flatMap((other) => reasonsOf(batch, row, other, isClaim));
    const [first] = reasons.sort((a, b) => a.rank - b.rank || a.at - b.at || (a.text < b.text ? -1 : 1));
    if (!first) return undefined;
    const { rank, by, at, text, reason } = first;
    return rank === 0 ? { state: 'sent', by, at, text } : { reason: `held: ${reason}` };
  }

  function reasonsOf(batch: Batch, row: Row, other: Row, isClaim: boolean) {
    if (other.phone !== row.phone || other.batch?.id === batch.id || !isSameScope(other.scope, batch.scope)) return [];
    // A row counts where it was sent, never where it was held.
    if (other.by !== undefined) return [];
    const by = other.batch?.name ?? '';
    return [other, ...other.earlier].flatMap((fact) => {
      const hours = world.now - fact.at;
      const isSame = fact.text === row.text;
      const as = (rank: number, reason: string) => [{ rank, at: fact.at, text: fact.text, by, reason }];
      // A row with a value counts a send without one only for the same text; a row without counts any.
      if (row.per !== '' && row.per !== other.per && (other.per !== '' || !isSame)) return [];
      const isForGood = batch.scope.kind === 'import' || (isSame && hours <= sameText);
      const counts = fact.at >= (batch.againAt ?? 0);
      if (fact.state === 'sent' && isForGood && counts) return as(0, '');
      const isOnItsWay = isUnderWay(other) || (!isClaim && isWaiting(other) && isWorking(other.batch));
      if (fact === other && isOnItsWay) return as(1, 'on its way');
      if (!counts) return [];
      if (fact === other && isUnsure(other) && (isSame || hours <= anyText)) return as(2, 'unsure');
      return fact.state === 'sent' && hours <= anyText ? as(3, 'another text') : [];
    });
  }

  function whyNot(batch: Batch, row: Row, isClaim = false): Partial<Row> | undefined {
    const { kind, account, mode } = batch.scope;
    if (!fits(row.cells, batch.where)) return { reason: 'not in --where' };
    if (kind === 'message' && optOuts.has(account + row.phone)) return { reason: 'opted out' };
    if (batch.excluded.has(row.phone)) return { reason: 'excluded' };
    return mode === 'sandbox' && kind === 'message' ? undefined : gotBefore(batch, row, isClaim);
  }

  function whichBatch(o: SendOptions, scope: Scope): { name: string; old?: Batch | undefined } | Result {
    const given = (o.batch ?? o.file?.name ?? o.fromBatch?.split(':')[0] ?? '').toLowerCase();
    const base = given.replace('{date}', `d${Math.floor(world.now / 24)}`);
    if (o.batch !== undefined) return { name: base, old: find({ ...scope, name: base }) };
    if (scope.mode === 'live' && scope.kind === 'message' && !o.terminal) return done(2);
    // The latest of NAME, NAME-2 … of the same kind and template counts.
    const isNamed = ({ name }: Batch) => name === base || name.replace(/-\d+$/, '') === base;
    const latest = batches.findLast((batch) => isSameScope(batch.scope, scope) && isNamed(batch));
    const goesOn = latest && (scope.kind === 'import' || latest.rows.some(isWaiting) || latest.isLoading);
    if (goesOn && !latest.isCancelled) return { name: latest.name, old: latest };
    let name = base;
    for (let n = 2; find({ ...scope, name }); n++) name = `${base}-${n}`;
    return { name };
  }

  /** Excluded phones add up, every other option replaces the kept one; `--no-…` act first. */
  function tell(batch: Batch, o: SendOptions): Batch {
    const excluded = new Set([...(o.noExcludeFrom ? [] : batch.excluded), ...(o.excludeFrom ?? [])]);
    const againAt = batch.againAt ?? (o.again ? (world.now += tick) : undefined);
    return { ...batch, excluded, where: o.where ?? (o.noWhere ? {} : batch.where), againAt };
  }

  function peopleOf(fromBatch: string, scope: Scope, text: string | undefined): readonly FileRow[] | undefined {
    const [name = '', outcome] = fromBatch.split(':');
    const isMeant = { failed: isFailed, waiting: isWaiting, unsure: isUnsure }[outcome ?? ''] ?? isSent;
    const rows = find({ ...scope, name })?.rows.filter(isMeant);
    return rows?.map((row) => ({ ...row.cells, text: text ?? row.text }));
  }

  interface Plan {
    readonly o: SendOptions;
    readonly old: Batch | undefined;
    readonly told: Batch;
    readonly draft: readonly Copy[];
    readonly isTrouble: boolean;
  }

  function planOf(o: SendOptions): Plan | Result {
    const { account = 'A', mode = 'live', kind = 'message', template = 'T', resend = [] } = o;
    const scope = { account, mode, kind, template };
    const which = whichBatch(o, scope);
    if ('exit' in which) return which;
    const { name, old } = which;
    const per = o.per === 'phone' ? '' : o.per;
    if (old && (!isSameScope(old.scope, scope) || (per !== undefined && per !== old.per))) return done(2);
    if (old?.isCancelled || isWorking(old)) return done(11);
    if (kind === 'import' && resend.includes('changed')) return done(2);
    const file = o.fromBatch === undefined ? o.file?.rows : peopleOf(o.fromBatch, scope, o.text);
    if (!file) return done(5);
    const told = tell(old ?? newBatch(scope, name, o.file?.name, per ?? ''), o);
    told.load++;
    const draft = draftOf(told, false);
    const isTwice = merge(told, draft, file, o);
    if (isTwice && mode === 'live' && !o.terminal && o.per !== 'phone') return done(11);
    const isTrouble = compare(told, draft, resend);
    const isAsked =
      told.againAt === undefined && draft.some((row) => row.inFile && (isHeld(row) || row.by !== undefined));
    if (o.terminal === 'all' && isAsked) return planOf({ ...o, again: true, terminal: 'others' });
    return { o, old, told, draft, isTrouble };
  }

  function newBatch(scope: Scope, name: string, file: string | undefined, per: string): Batch {
    const id = (world.now += tick);
    const empty = { rows: [], excluded: new Set<string>(), where: {}, againAt: undefined, load: 0 };
    return { id, scope, name, file, per, ...empty, isLoading: false, isCancelled: false, worker: undefined };
  }

  /** Puts a file into the copies of a batch's rows. True if a person has several texts. */
  function merge(told: Batch, draft: Copy[], file: readonly FileRow[], o: SendOptions): boolean {
    const { kind } = told.scope;
    const texts = new Map<string, string>();
    const rows: { at: number; cells: Cells; text: string; phone: string; per: string; fixes: number | undefined }[] =
      [];
    let isTwice = false;
    for (const [at, { bizmsg_row: fixes, text, ...rest }] of file.entries()) {
      const cells = Object.fromEntries(Object.entries(rest).map(([column, cell]) => [column, String(cell)]));
      const body = kind === 'import' ? `=${JSON.stringify(cells)}${text}` : `?${JSON.stringify(cells)}`;
      const phone = cells['phone']?.startsWith('+') ? cells['phone'] : body;
      const per = told.per ? (cells[told.per] ?? '').trim() : '';
      const key = `${phone}|${per}`;
      if (texts.has(key)) isTwice ||= texts.get(key) !== text;
      else rows.push({ at, cells, text, phone, per, fixes });
      if (!texts.has(key)) texts.set(key, text);
    }
    const isIt = (row: Copy, phone: string, per: string) => row.phone === phone && row.per === per;
    for (const { phone, per } of rows) for (const row of draft) row.inFile ||= isIt(row, phone, per);
    const fixed = new Set<Copy>();
    for (const { at, cells, text, phone, per, fixes } of rows) {
      // By line, only in the file that the batch was made from, if its other cells are the same and not empty.
      const isSameLine = (row: Copy) =>
        o.file?.name === told.file && row.line === at + 1 && isSameBut(row.cells, cells, 'phone');
      const isFixed = (row: Copy) =>
        row.state === 'failed' && !row.inFile && (fixes ? row.n === fixes : isSameLine(row)) && !fixed.has(row);
      let row = draft.find((row) => isIt(row, phone, per)) ?? draft.find(isFixed);
      if (!row) draft.push((row = newRow(told, draft.length + 1)));
      fixed.add(row);
      const isUnwanted = !fits(cells, told.where);
      Object.assign(row, { inFile: true, load: told.load, given: text, isUnwanted });
      const isEqual = JSON.stringify(row.cells) === JSON.stringify(cells) && row.text === text;
      // The same failed row is not tried again, a different row is.
      if (row.state === 'failed' && (!isEqual || o.resend?.includes('failed'))) row.state = 'waiting';
      if (row.state !== 'waiting') continue;
      Object.assign(row, { phone, per, text, cells, line: at + 1, told: null });
      if (phone.startsWith('?')) Object.assign(row, { state: 'failed', reason: 'no phone number' });
    }
    return isTwice;
  }

  function newRow(batch: Batch, n: number): Copy {
    const empty = { phone: '', per: '', text: '', cells: {}, line: 0, load: 0, reason: null, told: null, earlier: [] };
    const fact = { state: 'waiting', by: undefined, at: world.now, toldBy: undefined };
    return { n, scope: batch.scope, batch, ...empty, ...fact, origin: undefined, inFile: false };
  }

  /** Decides what waits, and finds what was sent with another text. True if a text is reported for the first time. */
  function compare(told: Batch, draft: readonly Copy[], resend: readonly string[]): boolean {
    let isTrouble = false;
    for (const row of draft) {
      // A resume has no file: what waits has its text from before.
      const { given = row.state === 'waiting' ? row.text : undefined } = row;
      if (row.state === 'waiting') Object.assign(row, { reason: null }, whyNot(told, row));
      if (!row.inFile || !['sent', 'unsure'].includes(row.state)) continue;
      if (row.state === 'unsure' && resend.includes('unsure') && !row.isUnwanted) row.resend = row.text;
      if (given === undefined || row.text === given) continue;
      if (row.state === 'sent' && resend.includes('changed') && !row.isUnwanted) row.resend = given;
      if (row.resend === undefined && row.told !== given) isTrouble = true;
      row.told = given;
    }
    return isTrouble;
  }

  function resumePlan(o: ResumeOptions): Plan | Result {
    const { account = 'A', mode = 'live', resend = [] } = o;
    const isMine = ({ scope }: Batch) => scope.account === account && scope.mode === mode;
    const waiting = batches.filter((batch) => isMine(batch) && batch.rows.some(isWaiting));
    if (o.name === undefined && waiting.length !== 1) return done(11);
    const old = o.name === undefined ? waiting[0] : find({ account, mode, name: o.name });
    if (!old) return done(5);
    if (isWorking(old) || old.isCancelled || old.isLoading) return done(11);
    if (resend.includes('changed')) return done(2);
    const told = tell(old, { ...(o.excludeFrom && { excludeFrom: o.excludeFrom }) });
    const draft = draftOf(told, true);
    for (const row of draft)
      if (row.state === 'failed' && !row.phone.startsWith('?') && resend.includes('failed')) row.state = 'waiting';
    const isTrouble = compare(told, draft, resend);
    return { o: { account, mode }, old, told, draft, isTrouble };
  }

  /** Its first part is the transaction that makes the plan visible. */
  function start(plan: Plan, worker: Worker): Steps | Result {
    const { o, old, told, draft } = plan;
    const waiting = draft.filter((row) => row.inFile && isWaiting(row)).length;
    const resent = draft.filter((row) => row.inFile && row.resend !== undefined).length;
    const count = Math.min(waiting, Math.max(0, (o.first ?? Infinity) - reached(told))) + resent;
    if (o.terminal === 'nobody' || count > (o.atMost ?? Infinity)) return done(11);
    const batch = Object.assign(old ?? told, told, { worker, isLoading: true });
    if (!old) batches.push(batch);
    if (!old) addUndecided(batch, draft);
    return work({ ...plan, told: batch }, worker);
  }

  function apply(batch: Batch, draft: readonly Copy[]): void {
    for (const copy of draft) {
      const { origin, inFile: _, given: __, resend: ___, isUnwanted: ____, ...row } = copy;
      if (!origin) batch.rows.push((copy.origin = { ...row, batch }));
      else if (origin.state !== 'cancelled') Object.assign(origin, row, { batch });
    }
  }

  /** A new batch has its rows immediately; its first step decides them. */
  function addUndecided(batch: Batch, draft: readonly Copy[]): void {
    apply(batch, draft);
    for (const { origin: row, given = '' } of draft)
      if (row?.by !== undefined) Object.assign(row, { state: 'waiting', by: undefined, text: given, told: null });
      else if (row?.state === 'waiting') row.reason = null;
  }

  /** Each yield is a place where a process can be killed. */
  function* work({ o, told: batch, draft, ...plan }: Plan, worker: Worker): Steps {
    let { isTrouble } = plan;
    let sent = 0;
    let isCut = false;
    apply(batch, draft);
    for (const _ of draft) yield 'applied';
    batch.isLoading = false;
    const turn = draft.filter(({ inFile }) => inFile);
    for (const { origin: row, resend } of turn) {
      if (!row || (!isWaiting(row) && resend === undefined)) continue;
      isCut = worker.isStopping || batch.isCancelled;
      if (isCut) break;
      if (resend === undefined && reached(batch) >= (o.first ?? Infinity)) continue;
      const was = { state: row.state, text: row.text, at: row.at, by: row.by };
      const text = resend ?? row.text;
      const cells = resend === undefined ? row.cells : batch.where;
      const why = whyNot(batch, { ...row, text, cells }, true);
      if (why && row.state === 'waiting') Object.assign(row, why);
      else if (why) isTrouble = true;
      if (why) continue;
      if (was.state === 'sent') row.earlier = [was];
      Object.assign(row, { state: 'under way', text, at: (world.now += tick), by: undefined, told: null });
      yield 'claimed';
      const { phone, per, at } = row;
      const answer = receive(world, messages, { ...batch.scope, phone, per, text, at, name: batch.name });
      yield 'answered';
      row.at = world.now;
      if (answer === 'sent') sent++;
      if (answer === 'sent') Object.assign(row, { state: 'sent', reason: null });
      else if (answer !== 'failed' || was.state === 'unsure') row.state = 'unsure';
      else if (was.state === 'waiting') Object.assign(row, { state: 'failed', reason: 'refused' });
      // A refused new text leaves a sent row sent.
      else isTrouble = Boolean(Object.assign(row, was, { told: text, earlier: [] }));
      yield 'settled';
    }
    return ending(batch, new Set(turn.flatMap(({ origin }) => origin ?? [])), { isTrouble, isCut, sent });
  }

  interface Ending {
    readonly isTrouble: boolean;
    readonly isCut: boolean;
    readonly sent: number;
  }

  function ending(batch: Batch, mine: ReadonlySet<Row>, { isCut, sent, ...plan }: Ending): Result {
    let { isTrouble } = plan;
    isTrouble ||= batch.rows.some((row) => isWaiting(row) && !mine.has(row));
    for (const row of mine) {
      const isFailure = isFailed(row) && row.told !== 'failed';
      if (isFailure) row.told = 'failed';
      const isElsewhere = batch.scope.kind === 'message' && row.by !== undefined && row.toldBy !== row.by;
      row.toldBy = row.by;
      isTrouble ||= isFailure || isElsewhere || isUnsure(row) || isHeld(row);
    }
    if (isCut && [...mine].some(isWaiting)) return { exit: 130, sent };
    return { exit: isTrouble ? 10 : 0, sent };
  }

  function begin(plan: Plan | Result): Process | Result {
    if ('exit' in plan) return plan;
    const worker = { isAlive: true, isStopping: false };
    const steps = start(plan, worker);
    return 'exit' in steps ? steps : processOf(worker, steps);
  }

  function mark({ account = 'A', mode = 'live', name, phone, lines, as }: MarkOptions): Result {
    const isMine = ({ scope }: Row) => scope.account === account && scope.mode === mode;
    const isMeant = (row: Row) =>
      (name === undefined || row.batch?.name === name) && (phone === undefined || row.phone === phone);
    const isLine = (row: Row) => !lines || lines.includes(row.line);
    const isOpen = (row: Row) => isUnsure(row) || row.state === 'under way';
    const rows = everyRow().filter((row) => isMine(row) && isMeant(row) && isLine(row) && isOpen(row));
    if (rows.some((row) => isWorking(row.batch))) return done(11);
    const isTwin = (row: Row) => rows.some((other) => other !== row && other.batch === row.batch);
    if (phone !== undefined && !lines && rows.some((row) => row.batch?.per && isTwin(row))) return done(2);
    for (const row of rows) {
      const earlier = row.earlier.at(-1);
      const notSent = row.batch ? (row.batch.isCancelled ? 'cancelled' : 'waiting') : 'failed';
      if (as === 'sent') row.state = 'sent';
      else if (earlier) Object.assign(row, earlier, { earlier: [] });
      else Object.assign(row, { state: notSent, reason: null });
    }
    return done(0);
  }

  function cancel({ missing, person, ...named }: Parameters<World['cancel']>[0]): Result {
    const batch = find(named);
    if (!batch) return done(5);
    if (isWorking(batch) && batch.isLoading) return done(11);
    const isMeant = (row: Row) => (!missing || row.load !== batch.load) && (!person || row.phone === person);
    for (const row of batch.rows)
      if (row.state === 'waiting' && isMeant(row)) Object.assign(row, { state: 'cancelled', reason: null });
    if (!missing && !person) batch.isCancelled = true;
    return done(0);
  }

  function remove(named: Named): Result {
    const batch = find(named);
    if (isWorking(batch)) return done(11);
    batches = batches.filter((other) => other !== batch);
    return done(batch ? 0 : 5);
  }

  function sendTemplate({ account = 'A', mode = 'live', phone, text, again }: SingleOptions, how: How = {}): Result {
    const scope = { account, mode, template: 'T', kind: 'message' } as const;
    if (optOuts.has(account + phone)) return done(11);
    const isRecent = (row: Row, { at }: Fact) => world.now - at <= (row.batch ? anyText : tenMinutes);
    const isOpen = (row: Row) => row.text === text && (row.state === 'under way' || isUnsure(row));
    const isDone = (row: Row) =>
      [row, ...row.earlier].some((fact) => fact.state === 'sent' && fact.text === text && isRecent(row, fact));
    const rows = everyRow().filter(
      (row) => row.phone === phone && isSameScope(row.scope, scope) && row.by === undefined,
    );
    if (mode === 'live' && !again && rows.some((row) => isOpen(row) || isDone(row))) return done(11);
    const fact = { state: 'unsure', text, at: (world.now += tick), by: undefined, toldBy: undefined };
    const rest = { per: '', cells: {}, line: 0, load: 0, reason: null, told: null, earlier: [] };
    const row: Row = { n: singles.length + 1, scope, batch: undefined, phone, ...fact, ...rest };
    singles.push(row);
    const message = { ...scope, phone, per: '', text, at: row.at, name: '' };
    const answer = how.killAt === 0 ? 'unsure' : receive(world, messages, message);
    row.state = answer === 'sent' || answer === 'failed' ? answer : 'unsure';
    return singleResult(answer);
  }
}

function draftOf(batch: Batch, inFile: boolean): Copy[] {
  return batch.rows.map((row) => {
    const isTakenBack = row.by !== undefined && row.at < (batch.againAt ?? 0);
    const copy = { ...row, origin: row, inFile, state: isUnsure(row) ? 'unsure' : row.state };
    // All once more: also those that another batch sent.
    return isTakenBack && row.state === 'sent' ? { ...copy, state: 'waiting', by: undefined } : copy;
  });
}

function isSameScope(a: Scope, b: Scope): boolean {
  return a.account === b.account && a.mode === b.mode && a.kind === b.kind && a.template === b.template;
}

function isSameBut(a: Cells, b: Cells, but: string): boolean {
  const rest = (cells: Cells) => Object.entries(cells).filter(([column]) => column !== but);
  return JSON.stringify(rest(a)) === JSON.stringify(rest(b)) && rest(b).some(([, cell]) => cell !== '');
}

function fits(cells: Cells, where: Cells): boolean {
  return Object.entries(where).every(([column, value]) => cells[column] === value);
}

function isWorking(batch: Batch | undefined): boolean {
  return batch?.worker?.isAlive === true;
}

const isSent = (row: Row) => row.state === 'sent';
const isFailed = (row: Row) => row.state === 'failed';
const isWaiting = (row: Row) => row.state === 'waiting' && row.reason === null;
const isHeld = (row: Row) => row.state === 'waiting' && row.reason !== null && row.reason.startsWith('held');
const isUnderWay = (row: Row) => row.state === 'under way' && isWorking(row.batch);
/** Rows that a dead process had under way are unsure. */
const isUnsure = (row: Row) => row.state === 'unsure' || (row.state === 'under way' && !isUnderWay(row));
const reached = (batch: Batch) =>
  batch.rows.filter((row) => (isSent(row) && row.by === undefined) || row.state === 'unsure').length;

function stateOf(row: Row) {
  const state = isUnsure(row) ? 'unsure' : isHeld(row) ? 'held' : row.state;
  const shown = state === 'waiting' && row.reason !== null ? row.reason : state;
  const by = state === 'sent' ? (row.by ?? '-') : '-';
  return {
    batch: row.batch?.name ?? '',
    phone: row.phone,
    per: row.per,
    line: row.line,
    state: shown,
    text: row.text,
    by,
  };
}
