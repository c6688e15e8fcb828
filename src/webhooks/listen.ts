import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CliError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { bind, type BodyFailure, closeServers, readBody } from '../base/http-server.ts';
import { sleep, untilAborted } from '../base/sleep.ts';
import { type Database, query } from '../base/transaction.ts';
import { isDelivered } from '../contract/events.ts';
import { createLanes } from '../delivery/lanes.ts';
import { check } from '../delivery/signature.ts';
import { openTarget, type Target } from '../delivery/target.ts';
import { isThisMachine } from '../delivery/this-machine.ts';
import { openLogs } from '../logs/database.ts';
import { deleteOld, type Delivery, newestEvent, recordEvents, type Recording } from '../logs/events.ts';
import { recordForward } from '../logs/forwards.ts';
import { eventOf, type Filter } from './event/event.ts';
import { forwardRequest, refuseItself, resultOf } from './forward.ts';
import { type Checked, type EventItem, eventItem, type ForwardedItem } from './items.ts';
import { createNotes, type Note } from './throttled-warnings.ts';
import type { KeepOptOuts } from './opt-outs.ts';
import { answer, deliveryOf, largestBody, refusalOf, refuseBroken, refuseUnread } from './refusals.ts';

export interface ListenOptions {
  readonly machine: Pick<Host, 'later' | 'now' | 'random' | 'sqlite' | 'steady'>;
  readonly stateFolder: string;
  /** 0 takes any free port. Default: 4781, or the next free one. */
  readonly port?: number | undefined;
  /** Default: both loopback addresses. */
  readonly host?: string | undefined;
  /** Accepts events only at this path (default: any path). */
  readonly path?: string | undefined;
  /** Milliseconds that a sender may take. */
  readonly timeouts?: { readonly headers: number; readonly request: number } | undefined;
  readonly warn: (text: string) => void;
  /** Chooses the events to print and forward; all are recorded. */
  readonly filter: Filter;
  /** The secrets known so far, the current one first. */
  readonly secrets: () => readonly string[];
  /** Called with each event before it is recorded, and awaited before it is answered. */
  readonly keepOptOuts?: KeepOptOuts | undefined;
  readonly forwardTo?: URL | undefined;
  /** Retries failed forwards. */
  readonly retry?: boolean | undefined;
}

/** A printed item: an event, or the result of forwarding one. */
export interface Printed {
  readonly event: EventItem;
  /** Whether the event is forwarded, and so printed again with the result. */
  readonly isForwarded: boolean;
  readonly forward?: ForwardedItem | undefined;
}

interface Forwarding {
  readonly number: number;
  readonly event: EventItem;
  readonly delivery: Delivery;
}

const second = 1_000;
export const usualPort = 4781;
/** Milliseconds to wait for the logs; then senders get an error, and send again. */
const patience = 5 * second;
/** Milliseconds before each retry. */
const retryDelays = [1, 2, 5, 10, 20].map((seconds) => seconds * second);
const forwardTimeout = 30 * second;
/** Milliseconds that `stop` waits for forwards in flight. */
const gracePeriod = 2 * second;
/** Milliseconds between two looks whether all answers have left. */
const answerPause = 5;
const linesAtOnce = 128;
/** Bytes to record before old events are deleted again. */
const tidyAfter = 1024 * 1024;

/** Starts to receive events. */
export async function openListener(options: ListenOptions): Promise<Listener> {
  const { stateFolder, machine, warn } = options;
  const logs = await openLogs(stateFolder, { host: machine, patience, note: warn });
  const listener = new Listener(options, logs, await logs.read(newestEvent));
  try {
    await listener.start();
    return listener;
  } catch (error) {
    await listener.close();
    throw error;
  }
}

/** Receives, checks, records, answers, prints and forwards events: its methods are in this order. */
export class Listener {
  port = 0;
  readonly #options: ListenOptions;
  readonly #logs: Database;
  readonly #note: Note;
  readonly #servers;
  readonly #lanes;
  readonly #target: Target | undefined;
  /** Answers that have not left yet. */
  readonly #unanswered = new Set<ServerResponse>();
  #newest: number;
  #arriving: Recording[] = [];
  #inserting: Promise<number> | undefined;
  #waiting: Printed[] = [];
  #unsent = 0;
  #untidied = Infinity;
  #state: 'open' | 'stopping' | 'ended' = 'open';
  #stopping: Promise<number> | undefined;
  #wake = () => {};
  #settled = () => {};

  constructor(options: ListenOptions, logs: Database, newest: number) {
    const { machine, warn, forwardTo, timeouts = { headers: 10 * second, request: 30 * second } } = options;
    this.#options = options;
    this.#logs = logs;
    this.#newest = newest;
    this.#note = createNotes(warn, machine.now);
    this.#servers = [createServer(limits(timeouts)), createServer(limits(timeouts))] as const;
    this.#lanes = createLanes(machine.later, () => this.#settled());
    this.#target = forwardTo && openTarget(forwardTo, forwardTimeout);
  }

  async start(): Promise<void> {
    const { port, host, forwardTo } = this.#options;
    for (const server of this.#servers)
      server
        .on('request', (request, response) => this.#receive(request, response))
        .on('clientError', (error, socket) => refuseBroken(error, socket, this.#note));
    this.port = await bind(this.#servers, { port, first: usualPort, host: host === 'localhost' ? undefined : host });
    if (forwardTo) refuseItself(forwardTo, this.port);
    await this.#logs.write(() => query('INSERT OR IGNORE INTO listener (url) VALUES ($1)', this.url));
  }

  get url(): string {
    const { host = '127.0.0.1', path = '/' } = this.#options;
    const name = host === 'localhost' ? '127.0.0.1' : host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${this.port}${path}`;
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const refusal = refusalOf(request, this.#options.path);
    if (refusal) {
      if (refusal.warning !== undefined) this.#note(String(refusal.status), refusal.warning);
      return answer(response, refusal.status, refusal.text, refusal.headers);
    }
    return readBody(request, largestBody, (body: Buffer | BodyFailure) => {
      if (typeof body === 'string') return refuseUnread(body, request.url ?? '', response, this.#note);
      if (this.#state !== 'open') return;
      this.#unanswered.add(response);
      response.on('close', () => this.#unanswered.delete(response));
      void this.#take(deliveryOf(request, body), response);
    });
  }

  /** The way of an event. It is answered once it is on record. */
  async #take(delivery: Delivery, response: ServerResponse): Promise<void> {
    const { filter, forwardTo, keepOptOuts } = this.#options;
    const checked = this.#check(delivery, this.#options.machine.now());
    const isWanted = filter(checked.event);
    const isForwarded = isWanted && forwardTo !== undefined && this.#isTrusted(checked);
    try {
      const optOut = keepOptOuts && (await keepOptOuts(checked));
      const number = await this.#insert(checked, isForwarded ? forwardTo.href : undefined);
      answer(response, 200);
      const event = eventItem(number, checked, optOut);
      if (isWanted) this.#print({ event, isForwarded });
      if (isForwarded) this.#forward({ number, event, delivery });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#note('logs', `an event could not be recorded and was answered with 500: ${error.message}`);
      answer(response, 500, 'the event could not be recorded\n');
    }
  }

  #check(delivery: Delivery, at: number): Checked {
    const secrets = this.#options.secrets();
    const signature = check(secrets, delivery.headers, delivery.body, at);
    const event = eventOf(delivery, signature.verdict === 'good' || secrets.length === 0);
    return { delivery, at, signature, event };
  }

  /** Anyone who can reach an exposed listener can send an event. */
  #isTrusted({ signature }: Checked): boolean {
    const { host, secrets } = this.#options;
    const isExposed = host !== undefined && !isThisMachine(host);
    return !isExposed || signature.verdict === 'good' || secrets().length === 0;
  }

  /** Records the events of one event-loop turn together. */
  async #insert({ delivery, at }: Checked, forwardTo: string | undefined): Promise<number> {
    const index = this.#arriving.push({ delivery, at, forwardTo }) - 1;
    const first = await (this.#inserting ??= this.#insertAll(this.#arriving));
    this.#untidied += delivery.body.length;
    if (this.#untidied > tidyAfter) void this.#tidy();
    return first + index;
  }

  /** Returns the number of the first event. */
  async #insertAll(arriving: readonly Recording[]): Promise<number> {
    try {
      // Events that arrive before the transaction begins are in it.
      const first = await this.#logs.write(recordEvents(arriving, this.#newest));
      this.#newest = first + arriving.length - 1;
      return first;
    } finally {
      [this.#arriving, this.#inserting] = [[], undefined];
    }
  }

  /** Deletes old events, a few at a time. If it fails, it is tried again later. */
  async #tidy(): Promise<void> {
    this.#untidied = -Infinity;
    while (this.#state === 'open' && (await this.#tolerated(this.#logs.write(deleteOld(this.#options.machine.now())))));
    this.#untidied = 0;
  }

  #print(item: Printed): void {
    this.#waiting.push(item);
    this.#wake();
  }

  /** Yields the items to print. Ends after `stop`, once everything is printed. For one reader. */
  async *printed(): AsyncGenerator<readonly Printed[], void> {
    while (this.#state !== 'ended' || this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (let at = 0; at < waiting.length; at += linesAtOnce) yield waiting.slice(at, at + linesAtOnce);
      if (waiting.length === 0 && this.#state !== 'ended') await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Forwards an event after the earlier ones of its message. */
  #forward(forwarding: Forwarding): void {
    let attempt = 0;
    this.#unsent += 1;
    this.#lanes.add(forwarding.event.message_id ?? '', async () => {
      const delay = this.#options.retry ? retryDelays[attempt] : undefined;
      attempt += 1;
      const isDone = await this.#attempt(forwarding, attempt, delay);
      if (isDone || delay === undefined) this.#unsent -= 1;
      return isDone || this.#state !== 'open' ? undefined : delay;
    });
  }

  /** Forwards an event once, and prints the result. Returns whether it was accepted. */
  async #attempt(forwarding: Forwarding, attempt: number, delay: number | undefined): Promise<boolean> {
    const { machine, forwardTo } = this.#options;
    const { number, event, delivery } = forwarding;
    if (!forwardTo || !this.#target) return true;
    const start = machine.now();
    const result = resultOf(await this.#target.send(forwardRequest(delivery, forwardTo)));
    const sent = { url: forwardTo.href, ms: machine.now() - start, ...result };
    await this.#tolerated(this.#logs.write(recordForward(number, machine.now(), sent)));
    const isAgain = delay !== undefined && this.#state === 'open' && !isDelivered(sent);
    const forward = {
      type: 'forwarded',
      event: event.id,
      ...sent,
      attempt,
      ...(isAgain && { retry_in: delay }),
    } as const;
    this.#print({ event, isForwarded: true, forward });
    return isDelivered(sent);
  }

  async #tolerated<T>(work: Promise<T>): Promise<T | undefined> {
    return work.catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      this.#note('logs', error.message);
      return undefined;
    });
  }

  /** Receives no more events; those received are still printed. Returns the number of events that were not forwarded. */
  stop(): Promise<number> {
    return (this.#stopping ??= this.#end());
  }

  async #end(): Promise<number> {
    this.#state = 'stopping';
    // Node closes connections whose answers are not sent yet, and senders would repeat events that are recorded.
    for (let waited = 0; this.#unanswered.size > 0 && waited < patience + second; waited += answerPause)
      await sleep(answerPause, this.#options.machine.later);
    await closeServers(this.#servers);
    await this.#endForwards();
    await this.#tolerated(this.#logs.write(() => query('DELETE FROM listener WHERE url = $1', this.url)));
    this.#state = 'ended';
    this.#wake();
    return this.#unsent;
  }

  async #endForwards(): Promise<void> {
    this.#lanes.stop();
    const idle = new AbortController();
    this.#settled = () => {
      if (this.#lanes.running() === 0) idle.abort();
    };
    this.#settled();
    await sleep(gracePeriod, this.#options.machine.later, idle.signal);
    this.#target?.close();
    await untilAborted(idle.signal);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#logs.close();
  }
}

function limits({ headers, request }: NonNullable<ListenOptions['timeouts']>) {
  return {
    headersTimeout: headers,
    requestTimeout: request,
    connectionsCheckingInterval: Math.min(headers, second),
    // Longer than senders keep idle connections; otherwise they would send on one that is being closed.
    keepAliveTimeout: 65 * second,
    // A tunnel may leave it out, and pages can forge it.
    requireHostHeader: false,
  };
}
