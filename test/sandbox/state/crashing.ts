import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import * as read from '../../../src/contract/readers.ts';
import { findSandbox } from '../../../src/sandbox/remote/locator.ts';
import { openRemote, type Remote } from '../../../src/sandbox/remote/remote.ts';
import { binary, cleanEnv } from '../../support/bin.ts';
import { alive } from '../../support/cli.ts';
import { order, paths } from '../calls.ts';

/** A sandbox in its own process, as `sandbox start` creates it. */
export interface RealSandbox {
  readonly url: string;
  readonly key: string;
  readonly remote: Remote;
  /** Without a chance to clean up. */
  kill(): Promise<Ended>;
  /** Like a user, with a signal that it can handle. */
  end(): Promise<Ended>;
}

interface Ended {
  readonly code: unknown;
  /** Its whole output on stderr. */
  readonly said: string;
}

/** All requests, and the acknowledged ones. */
export interface Asked {
  readonly phones: Set<string>;
  /** Contact ids by phone. */
  readonly contacts: Map<string, string>;
  readonly messages: Set<string>;
}

export async function startReal(home: string): Promise<RealSandbox> {
  const child = spawnReal(home);
  const exited = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  await Promise.race([once(child.stdout, 'data'), exited]);
  const locator = findSandbox(join(home, '.local/state/bizmsg'), alive);
  if (locator?.pid !== child.pid || !locator) throw new Error(`the sandbox did not start: ${said}`);
  const ended = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    const [code]: unknown[] = await exited;
    return { code, said };
  };
  return {
    url: locator.url,
    key: locator.keys.sandbox,
    remote: openRemote(locator),
    kill: () => ended('SIGKILL'),
    end: () => ended('SIGTERM'),
  };
}

/** A sandbox that is killed after a few milliseconds, perhaps while it loads its journal. */
export async function killEarly(home: string, milliseconds: number): Promise<void> {
  const child = spawnReal(home);
  await wait(milliseconds);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function spawnReal(home: string) {
  const words = ['sandbox', 'start', '--port', '0', '-o', 'ndjson'];
  const child = spawn(process.execPath, [binary, ...words], { env: cleanEnv(home), stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Sends contacts and messages alternately over several connections, until the sandbox stops answering. */
export async function load(sandbox: RealSandbox, asked: Asked, connections = 8): Promise<void> {
  const one = async (): Promise<void> => {
    while (await askOne(sandbox, asked));
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** Returns false without an answer. An unacknowledged request may have been executed or not. */
export async function askOne(
  { url, key }: Pick<RealSandbox, 'url' | 'key'>,
  { phones, contacts, messages }: Asked,
): Promise<boolean> {
  const phone = `+1555${String(phones.size).padStart(7, '0')}`;
  const isContact = phones.size % 2 === 0;
  phones.add(phone);
  const [path, body] = isContact ? [paths.contacts, { phone }] : [paths.send, { ...order, to: phone }];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const got = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    .then(async (answer) => ({ status: answer.status, body: await answer.json() }))
    .catch(() => undefined);
  if (!got) return false;
  if (got.status >= 300) throw new Error(`it answered ${got.status}: ${JSON.stringify(got.body)}`);
  if (isContact) contacts.set(phone, read.object({ id: read.id })(got.body).id);
  else messages.add(read.object({ message_id: read.id })(got.body).message_id);
  return true;
}

/** Lists violations: each acknowledged request must be recorded once, and nothing else may be. */
export async function faultsIn(sandbox: RealSandbox, { phones, contacts, messages }: Asked): Promise<string[]> {
  const [listed, sent, { events }] = await Promise.all([
    contactsOf(sandbox),
    sandbox.remote.ask('messages'),
    sandbox.remote.ask('events'),
  ]);
  const own = listed.filter(({ phone }) => phones.has(phone));
  const ids = new Set(own.map(({ id }) => id));
  const created = events.filter(({ type }) => type === 'contact.created');
  const sentIds = new Set(sent.map(({ id }) => id));
  return [
    ...twice('contact', [...listed.map(({ id }) => id), ...listed.map(({ phone }) => phone)]),
    ...twice('message', [...sent.map(({ id }) => id), ...sent.map(({ to }) => to)]),
    ...twice('event', [...events.map(({ id }) => id), ...created.map(({ data }) => read.isRecord(data) && data['id'])]),
    ...[...contacts.values()].filter((id) => !ids.has(id)).map((id) => `contact ${id} is lost`),
    ...[...messages].filter((id) => !sentIds.has(id)).map((id) => `message ${id} is lost`),
    ...sent.filter(({ to }) => !phones.has(to)).map(({ id }) => `message ${id} was never sent`),
    ...(created.length === own.length ? [] : [`${created.length} events of ${own.length} contacts`]),
  ];
}

async function contactsOf({ url, key }: RealSandbox) {
  const found: { readonly id: string; readonly phone: string }[] = [];
  let cursor: unknown = '';
  while (cursor !== null) {
    const query = `?limit=1000${typeof cursor === 'string' && cursor !== '' ? `&cursor=${cursor}` : ''}`;
    const answer = await fetch(url + paths.contacts + query, { headers: { authorization: `Bearer ${key}` } });
    const page = contactPage(await answer.json());
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  return found;
}

const contactPage = read.object({
  data: read.list(read.object({ id: read.id, phone: read.phone })),
  next_cursor: read.notShown,
});

function twice(what: string, names: readonly unknown[]): readonly string[] {
  const seen = new Set<unknown>();
  return names.flatMap((name) => {
    if (seen.has(name)) return [`${what} ${String(name)} is there twice`];
    seen.add(name);
    return [];
  });
}
