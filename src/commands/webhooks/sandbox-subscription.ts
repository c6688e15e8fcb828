import { signingSecret } from '../../session/signing-secret.ts';
import type { Context } from '../../cli/command.ts';
import { processStart } from '../../base/liveness.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import type { Remote } from '../../sandbox/remote/remote.ts';

/** A listener that is registered in the sandbox. */
export interface Link {
  /** Resolves once it is registered no more. */
  close(): Promise<void>;
}

interface LinkOptions {
  readonly url: string;
  /** Its own, in place of the sandbox's. */
  readonly secret: string | undefined;
  /** It also gets the events that nobody heard. */
  readonly catchUp: boolean;
  /** Told what signs the events, before the first of them can come. */
  readonly know: (secret: string) => void;
}

/** Milliseconds for which a sandbox is asked at once, between two questions, and between two looks for one that ended. */
const [patience, rest, poll] = [20_000, 200, 100];
/** Beyond all that will have happened. */
const end = Number.MAX_SAFE_INTEGER;

/** Has the events of the sandbox come to a listener, also when it ends and another one is started. */
export async function linkSandbox(context: Context, locator: Locator, options: LinkOptions): Promise<Link> {
  const { url, secret, catchUp, know } = options;
  const sandboxes = await context.sandboxes();
  const { later, pid } = sandboxes.process;
  const owner = { pid, start: processStart(pid), returns: true };
  const over = new AbortController();
  let remote = await register(locator, catchUp);
  const keeping = keep();
  return {
    async close() {
      over.abort();
      await keeping;
      // One that has ended is asked in vain, and who listens there next takes its place.
      await remote.ask('removeWebhook', { webhook: url }).catch(() => {});
    },
  };

  async function register(found: Locator, catchUp: boolean): Promise<Remote> {
    const remote = await sandboxes.remote(found);
    // Its first event may come before it has answered.
    const used = secret ?? (await remote.ask('env')).secret;
    signingSecret(context.session, used);
    know(used);
    await remote.ask('addWebhook', { url, secret, catchUp, external: true, owner });
    return remote;
  }

  /** A sandbox that is asked does not end for want of work. */
  async function keep(): Promise<void> {
    while (!over.signal.aborted) {
      const isThere = await remote.ask('events', { after: end, wait: patience }, over.signal).then(
        () => true,
        () => false,
      );
      if (isThere) await wait(rest);
      else if (!over.signal.aborted) await again();
    }
  }

  async function again(): Promise<void> {
    context.note('sandbox-ended', 'the sandbox has ended; events come again once it runs again');
    while (!over.signal.aborted) {
      await wait(poll);
      const found = sandboxes.find();
      const registered = found && (await register(found, false).catch(() => undefined));
      if (!registered) continue;
      remote = registered;
      return context.note('sandbox-back', `the sandbox runs again: ${found.url}`);
    }
  }

  function wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        callOff();
        over.signal.removeEventListener('abort', end);
        resolve();
      };
      const callOff = later(milliseconds, end);
      over.signal.addEventListener('abort', end);
    });
  }
}
