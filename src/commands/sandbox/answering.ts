import { setTimeout as sleep } from 'node:timers/promises';

const poll = 100;

/** Whether somebody takes a connection there before it is called off. */
export async function answersIn(url: URL, over: AbortSignal): Promise<boolean> {
  while (!over.aborted) {
    if (await answers(url, over)) return true;
    await sleep(poll, undefined, { signal: over }).catch(() => {});
  }
  return false;
}

async function answers({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<boolean> {
  const { connect } = await import('node:net');
  // A name below localhost is this machine, also where no name server knows it.
  const host = hostname.replace(/^\[|\]$/g, '').replace(/^.+\.(?=localhost\.?$)/, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)), signal });
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      resolve(true);
      socket.destroy();
    });
  });
}
