import type { Remote } from '../sandbox/remote/remote.ts';
import { eventOf } from './event.ts';
import type { EventSource, Happened } from './waiting.ts';

type Row = Readonly<Record<string, unknown>>;

interface Time {
  /** The sandbox's own. */
  readonly clock: Awaited<ReturnType<Remote['clock']>>;
  readonly now: () => number;
}

/** Milliseconds for which the sandbox is asked at once. */
const patience = 20_000;
/** Beyond all that has happened. */
const end = Number.MAX_SAFE_INTEGER;

/** What happens in a sandbox, told by itself, whatever comes of its deliveries. */
export async function simulated(remote: Pick<Remote, 'events'>, { clock, now }: Time): Promise<EventSource> {
  const { cursor } = await remote.events(end);
  return {
    now: () => (clock.frozen ? Date.parse(clock.now) : now() + clock.ahead),
    async *events(signal) {
      for (let after = cursor; !signal.aborted;) {
        const page = await remote.events(after, patience, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
        if (!page) return;
        for (const row of page.events) yield happened(row);
        after = page.cursor;
      }
    },
    close: async () => {},
  };
}

function happened({ type, at, payload }: Row): Happened {
  return { ...eventOf({ headers: [], body: JSON.stringify(payload) }), name: String(type), at: Number(at) };
}
