import { isProcessAlive, type Probe, processStart } from '../../base/liveness.ts';
import { type Database, query, type Transaction } from '../../base/transaction.ts';
import {
  createOwnSlots,
  emptyMinute,
  type Grant,
  grantSlots,
  type Member,
  type MemberId,
  parseMinute,
  type Report,
  type SlotSource,
} from './minute.ts';

/** The minute of each account; `changed` is the time of the last report. */
export const paceSchema = [
  'CREATE TABLE minute (account TEXT PRIMARY KEY, changed INTEGER NOT NULL, content TEXT NOT NULL) STRICT',
] as const;

interface SharedSlotsOptions {
  /** Opens the database on first use. */
  readonly open: () => Promise<Database>;
  /** Processes with the same account share its minute. */
  readonly account: string;
  readonly pid: number;
  readonly kill: Probe;
  /** Milliseconds of a monotonic clock that all processes of this machine share. */
  readonly now: () => number;
  readonly random: () => number;
  /** Called once if the database cannot be used. From then on, this process counts its own requests only. */
  readonly onFailure: (error: unknown) => void;
}

/** The slots that all processes of this machine share, in a database. */
export function createSharedSlots({ open, now, onFailure, ...options }: SharedSlotsOptions): SlotSource {
  let member: MemberId | undefined;
  let database: Promise<Database> | undefined;
  let last = emptyMinute;
  let own: SlotSource | undefined;
  return {
    isShared: true,
    report: (report) => own?.report(report) ?? reportShared(report),
    async close() {
      await (await database?.catch(() => undefined))?.close();
    },
  };

  async function reportShared(report: Report): Promise<Grant> {
    try {
      member ??= memberOf(options);
      database ??= open();
      const { minute, granted } = await (await database).write(turn(member, report));
      last = minute;
      return granted;
    } catch (error) {
      onFailure(error);
      own = createOwnSlots(now, { ...last, members: [] });
      return own.report(report);
    }
  }

  function turn(member: MemberId, report: Report): Transaction<ReturnType<typeof grantSlots>> {
    const { account, kill } = options;
    return function* () {
      const [row] = yield* query('SELECT content FROM minute WHERE account = $1', account);
      const time = now();
      const found = row ? parseMinute(String(row['content'])) : emptyMinute;
      const isAlive = ({ pid, start, seen }: Member) =>
        isProcessAlive(pid, start === '' ? undefined : start, kill, () => time - seen);
      const after = grantSlots(found, { member, report, time, isAlive });
      if (!row) yield* query('DELETE FROM minute WHERE changed < $1', Math.floor(time) - kept);
      yield* query(saving, account, Math.floor(time), JSON.stringify(after.minute));
      return after;
    };
  }
}

/** Milliseconds until an unchanged minute is removed. It no longer counts long before. */
const kept = 3_600_000;

const saving = `INSERT INTO minute (account, changed, content) VALUES ($1, $2, $3)
  ON CONFLICT (account) DO UPDATE SET changed = excluded.changed, content = excluded.content`;

function memberOf({ pid, random }: Pick<SharedSlotsOptions, 'pid' | 'random'>): MemberId {
  return { id: `${pid}.${random()}`, pid, start: processStart(pid) ?? '' };
}
