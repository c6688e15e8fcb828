import type { Context } from '../cli/command.ts';
import { count, option } from '../cli/params.ts';

/** Enough for a screen. */
const usual = 50;

/** Every list of a log has the newest last, and ends with the last 50 on a terminal. */
export const newestLast = {
  limit: option('--limit <n>', `show only the n newest (default: ${usual} on a terminal, otherwise all)`, count),
} as const;

/** Asks for the newest records, and notes if there are more of them than the default shows. */
export async function newestOf<T>(
  context: Context,
  limit: number | undefined,
  ask: (limit: number | undefined) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (limit !== undefined || !context.host.stdout.isTTY) return ask(limit);
  const found = await ask(usual + 1);
  if (found.length <= usual) return found;
  context.note('cut', `showing the ${usual} newest; --limit shows more`);
  return found.slice(-usual);
}
