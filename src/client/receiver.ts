import type { Dispatcher } from 'undici';
import { Collector } from './collector.ts';
import type { WireAnswer, WireHeaders, WireLimits } from './transport.ts';
import { wireFailure } from './wire-failure.ts';

type Resolve = (answer: WireAnswer) => void;
type Reject = (failure: Error) => void;

/** undici's own `request` neither says whether a byte left, nor ends while its connection is being made. */
export function createReceiver(limits: WireLimits, resolve: Resolve, reject: Reject): Dispatcher.DispatchHandler {
  return new Receiver(limits, resolve, reject);
}

/** A class, since there is one for each request: its methods are made once. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #limits: WireLimits;
  readonly #resolve: Resolve;
  readonly #reject: Reject;
  readonly #collector: Collector;
  readonly #abort = () => this.#giveUp();
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Headers = {};

  constructor(limits: WireLimits, resolve: Resolve, reject: Reject) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#collector = new Collector(limits.maxBytes);
    limits.signal.addEventListener('abort', this.#abort);
  }

  /** Called just before the first byte is written: one that was given up while it waited is never sent. */
  onRequestStart(started: Dispatcher.DispatchController): void {
    if (this.#limits.signal.aborted) started.abort(new Error('aborted'));
    else this.#controller = started;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#collector.add(chunk);
  }

  onResponseEnd(): void {
    this.#limits.signal.removeEventListener('abort', this.#abort);
    this.#resolve(new Answer(this.#status, this.#headers, this.#collector.whole()));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #giveUp(): void {
    this.#fail(new Error('aborted'));
    this.#controller?.abort(new Error('aborted'));
  }

  #fail(error: Error): void {
    const { signal } = this.#limits;
    signal.removeEventListener('abort', this.#abort);
    this.#reject(wireFailure(error, { sent: this.#controller !== undefined, aborted: signal.aborted }));
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Hardly anybody asks for the headers of a success. */
class Answer implements WireAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly #headers: Headers;

  constructor(status: number, headers: Headers, body: Buffer) {
    this.status = status;
    this.body = body;
    this.#headers = headers;
  }

  get headers(): WireHeaders {
    return Object.entries(this.#headers).flatMap(([name, value = []]) =>
      [value].flat().map((single) => [name, single] as const),
    );
  }
}
