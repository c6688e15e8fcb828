import type { Host } from '../host.ts';

/** A spinner on stderr, but only on a terminal, and only when there is something to wait for. */
export async function withSpinner<T>(text: string, { stderr, streams }: Host, work: Promise<T>): Promise<T> {
  if (!stderr.isTTY) return work;
  const settled = work.then(
    () => true,
    () => true,
  );
  if (await Promise.race([settled, patience()])) return work;
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
