import type { Host } from '../host.ts';
import { mayMove } from './motion.ts';

interface Shown {
  readonly host: Host;
  /** Whoever wants quiet, or a trace, wants no spinner. */
  readonly given: { readonly quiet: boolean; readonly debug: boolean };
}

/** A spinner on stderr, but only on a terminal, and only when there is something to wait for. */
export async function withSpinner<T>(text: string, { host, given }: Shown, work: Promise<T>): Promise<T> {
  const { stderr, streams } = host;
  if (!stderr.isTTY || given.quiet || given.debug) return work;
  const settled = work.then(
    () => true,
    () => true,
  );
  if (await Promise.race([settled, patience()])) return work;
  if (!mayMove(host)) return stderr.write(`${text}\n`).then(() => work);
  const { default: ora } = await import('ora');
  const spinner = ora({ text, stream: streams.stderr, discardStdin: false }).start();
  try {
    return await work;
  } finally {
    spinner.stop();
  }
}

function patience(): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), 400).unref();
  });
}
