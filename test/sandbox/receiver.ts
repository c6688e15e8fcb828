import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { serve } from '../client/servers.ts';
import { calls, type Calls, start } from './calls.ts';

/** A seeded sandbox with a frozen clock, but real time for signatures, which are verified. */
export function courierWorld(options: SandboxOptions = {}): Calls {
  const clock = manualClock(start);
  const made = calls({ clock, ...options });
  onTestFinished(() => made.sandbox.close());
  return { ...made, clock };
}

/** A sandbox whose events go to one receiver. */
export async function courier(answer?: Answer, options?: SandboxOptions): Promise<Calls & Receiver> {
  const made = await receiver(answer);
  const world = courierWorld(options);
  world.sandbox.webhooks.add({ url: made.url });
  return { ...world, ...made };
}

interface Received {
  readonly id: string;
  readonly type: unknown;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Receiver = Awaited<ReturnType<typeof receiver>>;

type Answer = (response: ServerResponse, received: Received) => unknown;

/** A webhook handler on a free port; closed after the test. */
export async function receiver(answer: Answer = (response) => response.end()) {
  const received: Received[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const { url } = await serve(({ headers, body }, _, response) => {
    const request = receivedOf(headers, body);
    received.push(request);
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    answer(response, request);
  });
  return {
    url: `${url}/hooks`,
    received,
    /** Resolves once this number of requests has arrived. */
    async got(count: number): Promise<readonly Received[]> {
      await new Promise<void>((resolve) => {
        waiting.push({ count, resolve });
        if (received.length >= count) resolve();
      });
      return received;
    },
    /** Throws unless another implementation verifies all signatures with this secret. */
    verify(secret: string) {
      for (const { body, headers } of received) new Webhook(secret).verify(body, headers);
    },
  };
}

function receivedOf(rawHeaders: NodeJS.Dict<string | string[]>, body: string): Received {
  const headers = Object.fromEntries(Object.entries(rawHeaders).map(([name, value]) => [name, String(value)]));
  const payload: unknown = JSON.parse(body);
  const { type, data } = isRecord(payload) ? payload : {};
  return { id: headers['webhook-id'] ?? '', type, data: isRecord(data) ? data : {}, headers, body };
}
