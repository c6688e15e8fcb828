import { EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { portOf } from '../../src/base/http-server.ts';
import { isRecord } from '../../src/contract/readers.ts';

/** A request that changes something. */
export interface Asked {
  /** The recipient, or the contact's phone. */
  readonly phone: string;
  readonly template: string;
  /** The params, or the contact's name. */
  readonly text: string;
  readonly key: string;
  /** The name in the address that was called. */
  readonly host: string;
  /** The number of earlier requests with the same phone. */
  readonly before: number;
  /** Milliseconds since the service started. */
  readonly at: number;
  /** Until it is decided, it hangs. */
  reply: Reply;
}

/** A status; `reset` closes the connection, `hang` never answers. */
export type Reply = number | 'reset' | 'hang';

export interface Answering {
  readonly reply: Reply;
  /** Milliseconds. */
  readonly after?: number;
  /** Answers once it resolves. */
  readonly until?: Promise<void>;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Service = Awaited<ReturnType<typeof openService>>;
export type Decide = (asked: Omit<Asked, 'reply'>) => Answering | Promise<Answering>;

const live = 'sk_live_7Rw1Kc5NbY6uJe0S';

/** Starts a service that is not our sandbox and records requests. It has no templates. */
export async function openService(decide: Decide = () => ({ reply: 200 }), port = 0) {
  const asked: Asked[] = [];
  const arrivals = new EventEmitter();
  const counts = new Map<string, number>();
  const started = performance.now();
  const server = createServer((request, response) => void respond(request, response).catch(() => {}));
  const listen = (on: number) => new Promise<void>((resolve) => server.listen(on, '127.0.0.1', resolve));
  await listen(port);
  const boundPort = portOf(server);
  let clock: (() => number) | undefined;
  const service = {
    url: `http://127.0.0.1:${boundPort}`,
    /** In order of arrival. */
    asked,
    /** Sets the time in the Date header. Default: the time of this machine. */
    keepTime: (now: () => number) => void (clock = now),
    /** Listens again. */
    reopen: () => listen(boundPort),
    /** Resolves once this many requests have arrived. */
    async until(count: number): Promise<void> {
      while (asked.length < count) await once(arrivals, 'arrival');
    },
    /** Resolves once what a process had sent before it ended has arrived. */
    async settled(): Promise<void> {
      // New connections come after those that wait to be accepted; the second, after their requests were read.
      for (let turn = 0; turn < 2; turn++) {
        const [response]: IncomingMessage[] = await once(get(service.url, { agent: false }), 'response');
        if (response) await text(response);
      }
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return service;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = bodyIn(await text(request));
    if (clock) response.setHeader('date', new Date(clock()).toUTCString());
    if (request.method === 'GET') return end(response, 200, []);
    const message = messageIn(body);
    const before = counts.get(message.phone) ?? 0;
    counts.set(message.phone, before + 1);
    const { host = '', authorization = '' } = request.headers;
    const key = authorization.replace('Bearer ', '');
    const about = { host: host.replace(/:\d+$/, ''), key };
    const record: Asked = { ...message, ...about, before, at: performance.now() - started, reply: 'hang' };
    const deciding = decide(record);
    asked.push(record);
    arrivals.emit('arrival');
    const { reply, after = 0, until, headers = {} } = await deciding;
    record.reply = reply;
    if (reply === 'hang') return;
    await until;
    if (after > 0) await new Promise((resolve) => setTimeout(resolve, after));
    if (reply === 'reset') return void request.socket.resetAndDestroy();
    const answer = reply === 200 ? { message_id: `msg_${asked.length}` } : { error: `status ${reply}` };
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    end(response, reply, answer);
  }
}

/** An environment that calls it with a live key. */
export function envOf({ url }: Pick<Service, 'url'>): Readonly<Record<string, string>> {
  return { BIZMSG_BASE_URL: url, BIZMSG_API_KEY: live };
}

function end(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Undefined for what is not JSON, which has no phone. */
function bodyIn(text: string): unknown {
  try {
    return JSON.parse(text || 'null');
  } catch {
    return undefined;
  }
}

function messageIn(body: unknown): Pick<Asked, 'phone' | 'template' | 'text'> {
  const { to, phone = '', template = '', params, name }: Readonly<Record<string, unknown>> = isRecord(body) ? body : {};
  const text = Array.isArray(params) ? params.join() : String(name);
  return { phone: String(to ?? phone), template: String(template), text };
}
