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

export interface Named {
  readonly account?: string;
  readonly mode?: Mode;
  readonly name: string;
}

export interface ResumeOptions {
  readonly account?: string;
  readonly mode?: Mode;
  readonly name?: string | undefined;
  readonly resend?: readonly ('changed' | 'unsure' | 'failed')[];
  readonly excludeFrom?: readonly string[];
}

export interface MarkOptions {
  readonly account?: string;
  readonly mode?: Mode;
  readonly name?: string;
  readonly phone?: string;
  readonly lines?: readonly number[];
  readonly as: 'sent' | 'not sent';
}

export interface SingleOptions {
  readonly account?: string;
  readonly mode?: Mode;
  readonly phone: string;
  readonly text: string;
  readonly again?: boolean;
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

interface BatchState {
  readonly account: string;
  readonly mode: Mode;
  readonly kind: Kind;
  readonly name: string;
  readonly isCancelled: boolean;
  readonly isLoading: boolean;
}

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
export function received({ account, mode, kind, phone, per, text, at, name }: Message): Message {
  const isPerson = phone.startsWith('+');
  return { account, mode, kind, phone: isPerson ? phone : '-', per, text: isPerson ? text : '-', at, name };
}
