import { configuration } from '../base/errors.ts';
import { createStateFolder } from '../base/files.ts';
import { openPostgres } from '../base/postgres.ts';
import { openMark } from '../store/marks.ts';
import { schema } from '../store/schema.ts';
import type { Session } from './session.ts';
import { teamMark } from './record-file.ts';

/** The server, its history, and the table: a standby that took over and a restored backup differ in one of them. */
export const teamServer = `((SELECT system_identifier FROM pg_control_system()) || '-'
  || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || '-' || 'meta'::regclass::oid::bigint)`;

const [first, ...later] = schema;
const tables = [
  `${first} INSERT INTO meta (version, id, tick, server) VALUES (1, md5(random() || clock_timestamp()::text), 0, ${teamServer})`,
  ...later,
];

/** Connects to the database of a team; creates its tables if they are missing. */
export async function openTeam(session: Session, url: string, account: string) {
  const { host, note, stateFolder } = session;
  const database = await openPostgres(url, { schema: tables, host, note: (text) => note('team', text) });
  try {
    refuseOtherClock(database.clock() - host.now());
    createStateFolder(stateFolder());
    const mark = openMark(teamMark(session, account));
    return { database, mark, close: () => database.close().finally(() => mark.close()) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Milliseconds. By the clock of another machine, a process counts as dead after 90 s of silence. */
const tolerance = 30_000;

function refuseOtherClock(skew: number): void {
  if (Math.abs(skew) <= tolerance) return;
  const side = skew > 0 ? 'behind' : 'ahead of';
  const message = `the clock of this machine is ${Math.round(Math.abs(skew) / 1_000)} s ${side} that of the team's database`;
  throw configuration('clock-wrong', message, 'set the clock, then run the same command again');
}
