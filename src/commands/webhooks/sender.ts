import { optionalCaller } from '../../session/caller.ts';
import { signingSecret } from '../../session/secrets.ts';
import type { Context } from '../../cli/command.ts';
import { sleep } from '../../base/sleep.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import type { Remote } from '../../sandbox/remote/remote.ts';
import type { Attempt } from '../../logs/forwards.ts';
import type { Printed } from '../../webhooks/listen.ts';
import { afterAll, longPoll, remoteOf } from '../sandbox/control.ts';

/** Where events come from: a sandbox, the service of an account, or unknown. */
export type Sender =
  | { readonly kind: 'sandbox'; readonly locator: Locator }
  | { readonly kind: 'account'; readonly name: string }
  | { readonly kind: 'unknown' };

/** The sender that belongs to the current profile. Starts the local sandbox if that is called. */
export async function senderOf(context: Context): Promise<Sender> {
  const [caller, sandboxes] = [optionalCaller(context), await context.sandboxes()];
  if (!caller) return { kind: 'unknown' };
  if (caller.kind === 'local') return { kind: 'sandbox', locator: await sandboxes.ensure() };
  const called = await sandboxes.at(caller.baseUrl);
  if (called) return { kind: 'sandbox', locator: called };
  return { kind: 'account', name: caller.profile ?? 'of BIZMSG_API_KEY' };
}

interface SubscriptionOptions {
  readonly url: string;
  /** Replaces the sandbox's secret for this webhook. */
  readonly secret: string | undefined;
  /** Also delivers events that no webhook received. */
  readonly catchUp: boolean;
  /** Called with the signing secret before the first event arrives, and from time to time. */
  readonly addSecret: (secret: string) => void;
}

/** Milliseconds between these requests. */
const pause = 200;
/** Milliseconds between searches for a sandbox that was started again. */
const searchPause = 100;

/** Subscribes a listener to the events of the sandbox, again after the sandbox was restarted. */
export async function subscribe(
  context: Context,
  locator: Locator,
  { url, secret, catchUp, addSecret }: SubscriptionOptions,
) {
  const sandboxes = await context.sandboxes();
  const { later } = context.host;
  const closed = new AbortController();
  let reporting: Promise<unknown> = Promise.resolve();
  let remote = await register(locator, catchUp);
  const watching = watch();
  return {
    /** Reports to the sandbox how a handler answered forwarded events. */
    report(printed: readonly Printed[]) {
      const forwards = printed.flatMap(({ event, forward }) =>
        forward ? forwardOf(event.headers['webhook-id'], Number(new URL(url).port), forward) : [],
      );
      if (forwards.length === 0) return;
      // A sandbox that has ended does not need it.
      reporting = reporting.then(() => remote.ask('reportForwards', { forwards })).catch(() => {});
    },
    /** Resolves once the webhook is removed. */
    async close() {
      await reporting;
      closed.abort();
      await watching;
      // Fails if the sandbox has ended; the next listener at this address replaces the webhook.
      await remote.ask('removeWebhook', { webhook: url }).catch(() => {});
    },
  };

  async function register(running: Locator, catchUp: boolean): Promise<Remote> {
    const remote = await remoteOf(running);
    // The first event may arrive before addWebhook returns.
    await learnSecret(remote);
    await remote.ask('addWebhook', { url, secret, catchUp, external: true });
    return remote;
  }

  /** After a rotation, the previous secret signs for one more day, but only until the next rotation. */
  async function learnSecret(remote: Remote): Promise<void> {
    const used = secret ?? (await remote.ask('env')).secret;
    signingSecret(context, used);
    addSecret(used);
  }

  /** Long-polls the sandbox, which also keeps it from ending as idle. */
  async function watch(): Promise<void> {
    while (!closed.signal.aborted) {
      try {
        await remote.ask('events', { after: afterAll, wait: longPoll }, closed.signal);
        await learnSecret(remote);
        await sleep(pause, later, closed.signal);
      } catch {
        if (!closed.signal.aborted) await subscribeAgain();
      }
    }
  }

  async function subscribeAgain(): Promise<void> {
    context.note('sandbox-ended', 'the sandbox has ended; the listener waits for it to start again');
    while (!closed.signal.aborted) {
      await sleep(searchPause, later, closed.signal);
      const running = await sandboxes.again(locator).catch(() => undefined);
      const registered = running && (await register(running, false).catch(() => undefined));
      if (!registered) continue;
      remote = registered;
      return context.note('sandbox-back', `the sandbox is running again: ${running.url}`);
    }
  }
}

/** An attempt to forward an event of a listener, for the sandbox that may have sent it. */
export function forwardOf(event: string | undefined, port: number, { url, status, error, body, ms }: Attempt) {
  return event === undefined ? [] : [{ event, port, url, status, error, body, took: Math.round(ms) }];
}
