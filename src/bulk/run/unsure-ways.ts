import { whole } from '../../terminal/run-progress.ts';

/** What can be done about the unsure rows of a finished run. */
export function waysWithUnsure(unsure: number, rows: number): string {
  const again = unsure === 1 ? 'it' : `these ${whole(unsure)}`;
  const ways = `--resume --allow-unsure sends ${again} once more, --allow-repeat sends all ${whole(rows)}`;
  return `find out whether ${unsure === 1 ? 'it was' : 'they were'} done; ${ways}`;
}
