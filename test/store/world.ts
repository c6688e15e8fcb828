/** The common interface of the model and the store: a person at a terminal, or a script, and the service that answers. */
export interface World {
  /** In hours. */
  now: number;
  readonly messages: readonly Message[];
  answer(request: Request): Answer;
  sendBatch(options: SendOptions, how?: How): Promise<Result>;
  /** Starts a process that works step by step; a result if it does not start. */
  begin(options: SendOptions): Promise<Process | Result>;
  resume(options: ResumeOptions): Promise<Result>;
  mark(options: MarkOptions): Promise<Result>;
  cancel(options: Named & { readonly missing?: boolean; readonly person?: string }): Promise<Result>;
  remove(options: Named): Promise<Result>;
  sendTemplate(options: SingleOptions, how?: How): Promise<Result>;
  optOut(account: string, phone: string): Promise<void>;
  optIn(account: string, phone: string): Promise<void>;
  /** Lets hours pass. */
  pass(hours: number): Promise<void>;
  /** All rows, in an order of their own. */
  rows(): Promise<readonly RowState[]>;
  batches(): Promise<readonly BatchState[]>;
}

export type Mode = 'live' | 'sandbox';
export type Kind = 'message' | 'import';
export type Answer = 'sent' | 'failed' | 'unsure' | 'unsure, accepted';

interface Request {
  readonly phone: string;
  readonly text: string;
}

export interface Message extends Request {
  readonly account: string;
  readonly mode: Mode;
  readonly kind: Kind;
  readonly per: string;
  readonly at: number;
  /** Its batch, or '' for a single message. */
  readonly name: string;
}

export type Cells = Readonly<Record<string, string>>;

export interface FileRow {
  readonly phone?: string;
  readonly text: string;
  readonly bizmsg_row?: number;
  readonly [column: string]: string | number | undefined;
}

export interface File {
  readonly name: string;
  readonly rows: readonly FileRow[];
}

export interface SendOptions {
  readonly account?: string;
  readonly mode?: Mode;
  readonly kind?: Kind;
  readonly template?: string;
  readonly batch?: string | undefined;
  readonly file?: File | undefined;
  readonly fromBatch?: string;
  /** Text for the people of `fromBatch`. */
  readonly text?: string;
  readonly per?: string;
  readonly again?: boolean;
  readonly resend?: readonly ('changed' | 'unsure' | 'failed')[];
  readonly excludeFrom?: readonly string[];
  readonly noExcludeFrom?: boolean;
  readonly where?: Cells;
  readonly noWhere?: boolean;
  readonly first?: number;
  readonly atMost?: number;
  /** The answer at a terminal; undefined in a script. */
  readonly terminal?: 'others' | 'all' | 'nobody';
}

type Owned = Pick<SendOptions, 'account' | 'mode'>;

export interface Named extends Owned {
  readonly name: string;
}

export interface ResumeOptions extends Owned, Pick<SendOptions, 'resend' | 'excludeFrom'> {
  readonly name?: string | undefined;
}

export interface MarkOptions extends Owned, Partial<Pick<SingleOptions, 'phone'>> {
  readonly name?: string;
  readonly lines?: readonly number[];
  readonly as: 'sent' | 'not sent';
}

export interface SingleOptions extends Owned, Pick<SendOptions, 'again'> {
  readonly phone: string;
  readonly text: string;
}

/** Where a process is killed: before that step. Or after how many messages Ctrl-C stops it. */
export interface How {
  readonly killAt?: number;
  readonly stopAfter?: number;
}

export interface Result {
  readonly exit: number;
  readonly sent: number;
}

export interface Process {
  isAlive(): boolean;
  step(): Promise<string | undefined>;
  kill(): Promise<void>;
  /** Ctrl-C. */
  stop(): void;
  result(): Result | undefined;
}

type BatchState = Pick<Message, 'account' | 'mode' | 'kind' | 'name'> & Record<'isCancelled' | 'isLoading', boolean>;

export interface RowState {
  readonly batch: string;
  readonly phone: string;
  readonly per: string;
  readonly line: number;
  readonly state: string;
  readonly text: string;
  readonly by: string;
}

export function isProcess(begun: Process | Result): begun is Process {
  return 'step' in begun;
}

/** Contacts without a phone have different names in the worlds. */
function received({ account, mode, kind, phone, per, text, at, name }: Message): Message {
  const isPerson = phone.startsWith('+');
  return { account, mode, kind, phone: isPerson ? phone : '-', per, text: isPerson ? text : '-', at, name };
}

export const done = (exit: number): Result => ({ exit, sent: 0 });

/** Answers a message, and keeps it if the service has accepted it. */
export function receive(world: Pick<World, 'answer'>, messages: Message[], message: Message): Answer {
  const answer = world.answer(message);
  if (answer === 'sent' || answer === 'unsure, accepted') messages.push(received(message));
  return answer;
}

/** The result of a single message. */
export function singleResult(answer: Answer): Result {
  const exit = { sent: 0, failed: 6, unsure: 13, 'unsure, accepted': 13 }[answer];
  return { exit, sent: answer === 'sent' ? 1 : 0 };
}

export interface Worker {
  isAlive: boolean;
  isStopping: boolean;
}

type Steps = Generator<string, Result, void> | AsyncGenerator<string, Result, void>;

export function processOf(worker: Worker, steps: Steps, onKill = async () => {}): Process {
  let result: Result | undefined;
  return {
    isAlive: () => worker.isAlive,
    result: () => result,
    stop: () => void (worker.isStopping = true),
    async kill() {
      worker.isAlive = false;
      result ??= done(137);
      await onKill();
    },
    async step() {
      if (!worker.isAlive) return undefined;
      const { done: isDone, value } = await steps.next();
      if (!isDone) return value;
      worker.isAlive = false;
      result = value;
      return undefined;
    },
  };
}

/** Lets a process take all its steps. */
export async function runToEnd({ messages }: World, process: Process | Result, how: How = {}): Promise<Result> {
  if (!isProcess(process)) return process;
  const before = messages.length;
  for (let n = 0; process.isAlive(); n++) {
    if (n === how.killAt) await process.kill();
    if (messages.length - before >= (how.stopAfter ?? Infinity)) process.stop();
    await process.step();
  }
  return process.result() ?? done(137);
}
