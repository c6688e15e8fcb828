import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { statsOf } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { failureOf, noSqlite } from '../base/sqlite-errors.ts';
import { refuseEarlyClock, refuseWrongClock } from '../session/clock.ts';
import type { Caller } from '../session/caller.ts';
import type { Session } from '../session/session.ts';
import { type Check, failed, pass, warn } from './check.ts';
import { checkRecord } from './record.ts';

export function nodeCheck({ node, sqlite }: Pick<Host, 'node' | 'sqlite'>): Check {
  return sqlite() ? pass('node', `${node}, with SQLite`) : failed('node', noSqlite());
}

/** Whether the state folder is private and writable, and the record in it intact. */
export async function stateCheck(session: Session, caller: Caller | undefined): Promise<Check> {
  try {
    const folder = session.stateFolder();
    try {
      checkWritable(folder);
      await checkRecord(session, caller);
      return pass('state', folder);
    } catch (error) {
      throw failureOf(folder, error);
    }
  } catch (error) {
    return failed('state', error);
  }
}

/** Throws if a folder cannot be written, or created. */
function checkWritable(folder: string): void {
  let existing = folder;
  while (!statsOf(existing) && dirname(existing) !== existing) existing = dirname(existing);
  // The dot makes it an error if this is a file.
  accessSync(`${existing}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Milliseconds. Receivers usually accept signatures up to five minutes old. */
const tolerance = 30_000;

/** `skew`: the milliseconds by which the clock of the service is ahead, if its answer has a date. */
export function clockCheck({ now }: Pick<Host, 'now'>, skew: number | undefined): Check {
  try {
    refuseEarlyClock(now());
    refuseWrongClock(skew);
  } catch (error) {
    return failed('clock', error);
  }
  if (skew === undefined) return pass('clock', 'no answer of the service to compare it with');
  if (Math.abs(skew) <= tolerance) return pass('clock', 'agrees with that of the service');
  const how = `${Math.round(Math.abs(skew) / 1_000)} s ${skew > 0 ? 'behind' : 'ahead of'} that of the service`;
  return warn('clock', how, 'synchronize the clock: webhook signatures depend on it');
}
