import type { Sandbox } from 'bizmsg/sandbox';
import { order, paths } from '../calls.ts';

/** Sends a template with this key, or the sandbox's first. */
export function sent(
  sandbox: Sandbox,
  key: string = sandbox.keys.sandbox,
  body: object = {},
): ReturnType<Sandbox['answer']> {
  return sandbox.answer({
    path: paths.send,
    headers: { Authorization: `Bearer ${key}` },
    body: { ...order, ...body },
  });
}

export async function sendWith(sandbox: Sandbox, key?: string, body?: object): Promise<number> {
  return (await sent(sandbox, key, body)).status;
}
