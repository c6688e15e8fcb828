import { constants } from 'node:os';
import { fsError } from '../base/errors.ts';
import type { Env } from '../base/host.ts';
import { jsonText } from '../base/json.ts';
import type { Context } from '../cli/command.ts';

/** They would let the command send in the name of this one. */
const withheld: ReadonlySet<string> = new Set([
  'BIZMSG_API_KEY',
  'BIZMSG_BASE_URL',
  'BIZMSG_TEAM',
  'BIZMSG_WEBHOOK_SECRET',
]);

/** Runs the command of `--on-finish` with the summary on stdin. Its failure is a note: the run has ended already. */
export async function runOnFinish({ host, note, reporter }: Context, command: string, summary: object): Promise<void> {
  const env: Env = Object.fromEntries(Object.entries(host.env).filter(([name]) => !withheld.has(name)));
  const input = reporter.clean(`${jsonText(summary)}\n`);
  const why = await failureOf(() => host.spawnAttached([command], { env, apart: false, inShell: true, input }));
  if (why !== undefined) note('on-finish', `the command of --on-finish ${why}`);

  async function failureOf(start: () => ReturnType<typeof host.spawnAttached>): Promise<string | undefined> {
    let stop = () => {};
    try {
      const { pid, ended } = start();
      stop = () => void (pid !== undefined && host.kill(pid, 'SIGTERM'));
      host.signal.addEventListener('abort', stop);
      const { code, signal } = await ended;
      if (code === 0) return undefined;
      return code === null
        ? `was ended by ${signal} (${128 + (signal ? constants.signals[signal] : 0)})`
        : `failed: exit ${code}`;
    } catch (error) {
      const fault = fsError(error);
      if (!fault) throw error;
      return `cannot be run: ${fault.reason}`;
    } finally {
      host.signal.removeEventListener('abort', stop);
    }
  }
}
