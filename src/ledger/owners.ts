import { endedWithRestart } from '../base/liveness.ts';
import type { Owner } from './ledger.ts';
import type { World } from './rules.ts';
import {
  abandonItems,
  type Ahead,
  allOwners,
  lastMoment,
  markDead,
  type Moment,
  nextMoment,
  removeOwner,
  type Steps,
} from './statements.ts';
import type { KnownOwner } from './records.ts';

/** This process, and how it sees others. */
export interface Self {
  readonly pid: number;
  /** When and where it began: see `processStart`. */
  readonly start: string | undefined;
  now(): number;
  isAlive(owner: Owner): boolean;
  /** A new id for a run or a process. */
  newId(): string;
  /** When a command last registered, claimed or settled rows; by default, the ledger is asked. */
  lastAt?(): number;
  /** Checks the database, if the machine may have lost power. */
  verify(): Steps<void>;
}

/** The processes as a transaction sees them. */
export interface Presence extends Moment {
  /** The id of this process. */
  readonly id: string;
  /** Dead ones too. */
  readonly owners: readonly KnownOwner[];
  /** This process, also in an earlier life. */
  isOwn(id: string | undefined): boolean;
  /** Whether another process works on the run with this number. */
  isShared(run: number): boolean;
  readonly world: World;
  /** Whether a process has died, and this is not recorded yet. */
  readonly hasDied: boolean;
}

/** The ids of this process. One that was thought dead, because it was stopped, continues under a new id. */
export interface Lives {
  /**
   * Begins a transaction that writes. The rows in flight of dead processes become unsure. `isWork`: it registers, claims
   * or settles rows. `ahead`: what it reads first.
   */
  enter(isWork?: boolean, ahead?: Ahead): Steps<Presence>;
  /** Sees the last moment and the processes as they are, without a change. */
  look(): Steps<Presence>;
  readonly ids: readonly string[];
}

const day = 86_400_000;

export function createLives(self: Self): Lives {
  const ids: string[] = [];
  /** When a command last registered, claimed or settled rows, before this process. */
  let lastAt: number | undefined;
  const isOwn = (id: string | undefined) => id !== undefined && ids.includes(id);
  const isDead = (owner: KnownOwner) => owner.isDead || !(isOwn(owner.id) || self.isAlive(owner));
  return {
    ids,
    *enter(isWork = false, ahead = () => []) {
      if (ids.length === 0) ids.push(self.newId());
      lastAt ??= self.lastAt?.() ?? (yield* lastMoment()).now;
      const at = yield* nextMoment(self.now(), isWork, () => [allOwners(), ...ahead()]);
      const owners = yield* allOwners();
      for (const owner of owners) if (!owner.isDead && isDead(owner)) yield* bury(owner, at);
      return presence(owners, at);
    },
    *look() {
      const at = yield* lastMoment(() => [allOwners()]);
      lastAt ??= at.now;
      return presence(yield* allOwners(), at);
    },
  };

  /** At most a day after the last record: the clock may have been far behind then, or far ahead now. */
  function asOf(now: number): number {
    return lastAt === undefined || lastAt === 0 ? now : Math.min(now, lastAt + day);
  }

  function* bury(owner: KnownOwner, at: Moment): Steps<void> {
    const count = yield* abandonItems(owner, at);
    if (count === 0) yield* removeOwner(owner.id);
    else yield* markDead(owner);
    if (count > 0 && endedWithRestart(owner.start)) yield* self.verify();
  }

  function presence(found: readonly KnownOwner[], at: Moment): Presence {
    const owners = found.map((owner) => ({ ...owner, isDead: isDead(owner) }));
    const hasDied = found.some((owner, at) => !owner.isDead && owners[at]?.isDead === true);
    if (owners.some(({ id, isDead }) => isDead && id === ids.at(-1))) ids.push(self.newId());
    const now = self.now();
    const works = (run: number, one: KnownOwner) => one.run === run && !one.isDead;
    return {
      ...at,
      id: ids.at(-1) ?? '',
      owners,
      hasDied,
      isOwn,
      isShared: (run) => owners.some((one) => works(run, one) && !isOwn(one.id)),
      world: { now, asOf: asOf(now), isLive: (run) => owners.some((one) => works(run, one)) },
    };
  }
}
