import { signal } from '@preact/signals';
import type { FeedRecord } from '../sandbox/control/feed.ts';

/** `refused`: the sandbox runs, but does not know this page's token. */
export type Link = 'connecting' | 'open' | 'stopped' | 'refused';

export const link = signal<Link>('connecting');

const storage = 'bizmsg-sandbox-token';

/** Moves the token from the address bar, where others could see it, to this tab's storage. */
export function takeToken(): void {
  const [, taken] = /^#t=([0-9a-f]+)$/.exec(location.hash) ?? [];
  if (taken === undefined) return;
  sessionStorage.setItem(storage, taken);
  tokenTaken();
  history.replaceState(null, '', location.pathname);
}

function token(): string {
  return sessionStorage.getItem(storage) ?? '';
}

/** Milliseconds between attempts to connect. */
const retryAfter = 500;

/** Wakes a page that waits with a wrong token, which stays wrong: each start of a sandbox makes a new one. */
let tokenTaken = () => {};

/** Whether the server of the open stream knows the token: while it is connected, nothing else can have its port. */
let isProven = false;

/** The token for a request; throws unless the server is the sandbox. */
export async function provenToken(): Promise<string> {
  if (isProven || (await isOurs().catch(() => false))) return token();
  throw new Error('The sandbox does not answer.');
}

/** Follows the sandbox for as long as the page is open. A hidden page pauses: a browser allows six connections. */
export async function follow(take: (records: readonly FeedRecord[]) => void): Promise<void> {
  let cursor = '';
  let controller = new AbortController();
  document.addEventListener('visibilitychange', () => document.hidden && controller.abort());
  for (;;) {
    if (document.hidden)
      await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
    controller = new AbortController();
    await connect(controller.signal).catch(() => {});
    isProven = false;
    if (document.hidden) continue;
    if (link.value === 'refused') await new Promise<void>((resolve) => (tokenTaken = resolve));
    else {
      link.value = 'stopped';
      await sleep(retryAfter);
    }
  }

  async function connect(signal: AbortSignal): Promise<void> {
    if (!(await isOurs())) return;
    const headers = { 'x-sandbox-token': token() };
    const response = await fetch(`stream?after=${encodeURIComponent(cursor)}`, { headers, signal });
    link.value = response.ok ? 'open' : 'refused';
    isProven = response.ok;
    if (!response.ok || !response.body) return;
    for await (const part of readStream(response.body)) {
      take(part.records);
      cursor = part.cursor;
    }
  }
}

/** Reads lines of JSON. An EventSource could not send the token in a header. */
async function* readStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<{ readonly records: readonly FeedRecord[]; readonly cursor: string }, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}

/** Whether the server knows the token: after the sandbox has stopped, another program could use its port. */
async function isOurs(): Promise<boolean> {
  if (token() === '') {
    link.value = 'refused';
    return false;
  }
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const response = await fetch(`proof?nonce=${nonce}`);
  const { proof } = await response.json();
  const key = await crypto.subtle.importKey('raw', bytes(token()), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const text = `bizmsg sandbox proof\nhttp://127.0.0.1:${location.port}\n${nonce}`;
  const isRight = proof === hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(text))));
  if (!isRight) link.value = 'refused';
  return isRight;
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
