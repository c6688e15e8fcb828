import { isRecord } from '../../../src/contract/readers.ts';
import { serve, type Service } from '../../client/servers.ts';
import { cli, type CliOptions, type Ran } from '../../support/cli.ts';
import { callerOf, newHome } from '../../support/fake-service.ts';

export const key = 'sk_test_4f9Qm2ZpL8xVt3HdXk7R';
export const person = { id: 'c_77', phone: '+4915112345678', name: 'Zuzanna Quaas', tags: [], born: null };

/** A request as a service reads it. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection instead of answering. */
  readonly breaks?: true;
}

/** Replaces a reply that follows the document; undefined keeps it. */
export type Override = (asked: Asked, reply: Reply, times: number) => Reply | undefined;

/** A service that follows the document, except for replies that `override` replaces. */
export async function openService(
  override: Override = () => undefined,
  scheme: 'http' | 'https' = 'http',
  prefix = '',
): Promise<Service> {
  const times = new Map<string, number>();
  return serve(({ method, url, headers, body }, _, response) => {
    const [path = '', query = ''] = url.slice(prefix.length).split('?');
    const asked = { method, path, query, authorization: headers.authorization, body };
    const seen = (times.get(method + url + body) ?? 0) + 1;
    times.set(method + url + body, seen);
    const correct = correctReply(asked);
    const reply = override(asked, correct, seen) ?? correct;
    if (reply.breaks) return response.socket?.destroy();
    const type = reply.type ?? 'application/json';
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    return response.writeHead(reply.status, { ...(type && { 'Content-Type': type }), ...reply.headers }).end(text);
  }, scheme);
}

export const refused = (status: number): Reply => ({ status, body: { message: `no: ${status}` } });

function correctReply({ method, path, authorization, body }: Asked): Reply {
  if (!/^Bearer (sk_test_4f9Qm2ZpL8xVt3HdXk7R|sk_live_7Rw1Kc5NbY6uJe0SqMvA|plain-4f9Qm2Zp)$/.test(authorization ?? ''))
    return refused(401);
  const answer = handlers[`${method} ${path.replace('/api/public/', '')}`];
  return answer ? answer(body) : refused(404);
}

const handlers: Readonly<Record<string, (body: string) => Reply>> = {
  'GET contacts': () => ({ status: 200, body: { contacts: [person], total: 1 } }),
  'GET templates': () => ({ status: 200, body: [{ name: 'welcome', vars: 0 }, { name: 'bye' }] }),
  'GET campaigns': () => ({ status: 200, body: { data: [] } }),
  'POST contacts': (body) => (parsed(body) === undefined ? refused(400) : { status: 201, body: person }),
  'POST messages/send-template': (body) => {
    const { to, template, params } = parsed(body) ?? {};
    const isRight = typeof to === 'string' && typeof template === 'string' && Array.isArray(params);
    return isRight ? { status: 200, body: { message_id: 'm_1', cost: 0.07 } } : refused(400);
  },
};

export function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const send = '/api/public/messages/send-template';

export interface Examination extends Ran {
  readonly clauses: ReadonlyMap<string, Clause>;
  readonly calls: unknown;
  /** Ids of the clauses that differ. */
  readonly differing: readonly string[];
}

interface Clause {
  readonly verdict: unknown;
  readonly seen: readonly unknown[];
}

/** Runs `doctor --contract` against a service. */
export function examine(url: string, argv: readonly string[] = [], given: Partial<CliOptions> = {}) {
  return examined(argv, { home: newHome(), env: callerOf(url, key), ...given });
}

export async function examined(argv: readonly string[], options: CliOptions): Promise<Examination> {
  const ran = await cli(['doctor', '--contract', '-o', 'json', '--retries', '0', ...argv], options);
  const report = parsed(ran.stdout) ?? {};
  const clauses = byId(report['clauses']);
  const differing = [...clauses].filter(([, { verdict }]) => verdict === 'differs').map(([id]) => id);
  return { ...ran, clauses, calls: report['calls'], differing };
}

function byId(list: unknown): ReadonlyMap<string, Clause> {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return new Map(
    items.filter(isRecord).map(({ id, verdict, seen }) => {
      const lines: readonly unknown[] = Array.isArray(seen) ? seen : [];
      return [String(id), { verdict, seen: lines }];
    }),
  );
}
