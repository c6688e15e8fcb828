import { createBook } from '../../src/ledger/book.ts';
import type { Ledger, RunState } from '../../src/ledger/ledger.ts';
import { createMemoryLedger } from '../../src/ledger/memory.ts';

/** Processes with a shared ledger, and a clock that the test moves. */
export interface Machine {
  now(): number;
  wait(milliseconds: number): void;
  /** Makes a process look dead. */
  kill(pid: number): void;
  revive(pid: number): void;
  /** A new process. */
  start(): Ledger & { readonly pid: number };
}

export async function countsOf(machine: Machine, run: string): Promise<RunState['counts'] | undefined> {
  return (await machine.start().runs()).find(({ id }) => id === run)?.counts;
}

export function createMachine(): Machine {
  let [pid, id, now] = [0, 0, Date.UTC(2026, 2, 4, 12)];
  const book = createBook();
  const dead = new Set<number>();
  return {
    now: () => now,
    wait: (milliseconds) => void (now += milliseconds),
    kill: (pid) => void dead.add(pid),
    revive: (pid) => void dead.delete(pid),
    start() {
      const own = ++pid;
      const isAlive = (owner: { readonly pid: number }) => !dead.has(owner.pid);
      const ledger = createMemoryLedger({ book, pid: own, start: undefined, now: () => now, isAlive, newId });
      return { ...ledger, pid: own };
    },
  };

  function newId(): string {
    return `id${++id}`;
  }
}
