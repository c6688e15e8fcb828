import { readdirSync } from 'node:fs';
import type { Host } from '../../base/host.ts';
import { contentOf } from '../../base/liveness.ts';

/** By what the processes of a command are known. */
export interface Head {
  readonly pid: number;
  /** Whether it leads a session of its own. */
  readonly apart: boolean;
  /** The process that started it. */
  readonly owner: number;
  /** Lines of its environment that no other command's has. */
  readonly marks: readonly string[];
}

/** Sends it to every process of a command; false when none is left. */
export function signalFamily(head: Head, signal: Parameters<Host['kill']>[1], kill: Host['kill']): boolean {
  const { pid, apart } = head;
  const table = processTable();
  if (!table) return kill(apart ? -pid : pid, signal);
  const members = membersOf(head, table);
  // A group hears it at once, whatever it starts meanwhile.
  const inGroup = apart ? members.filter(({ group }) => group === pid) : [];
  if (inGroup.length > 0) kill(-pid, signal);
  for (const member of members) if (!inGroup.includes(member)) kill(member.pid, signal);
  return members.length > 0;
}

/** Whether a process has a terminal that can stop it and send it Ctrl-C. */
export function hasTerminal({ pid, stdinIsTerminal }: Pick<Host, 'pid' | 'stdinIsTerminal'>): boolean {
  const own = statOf(pid);
  return own ? own.terminal !== 0 : stdinIsTerminal;
}

/** Whether a terminal's Ctrl-C means this process. */
export function isInForeground(pid: number): boolean {
  const own = statOf(pid);
  return !own || own.foreground === own.group;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly terminal: number;
  /** The process group that its terminal's keys mean. */
  readonly foreground: number;
  /** When it began, in the kernel's ticks. */
  readonly start: number;
}

/**
 * The command, and its session where it has one of its own; else what carries its environment in the session that it
 * shares. With what descends from those. What left for a session of its own, and lost its parent, was to stay.
 */
function membersOf(head: Head, table: readonly Process[]): readonly Process[] {
  const owner = table.find(({ pid }) => pid === head.owner);
  // The command ended, its whole session too, and the system gave its number to another process.
  if (table.some(({ pid, parent }) => pid === head.pid && parent !== head.owner)) return [];
  const isAkin = (one: Process) => {
    if (one.pid === head.pid && one.parent === head.owner) return true;
    return head.apart ? one.session === head.pid : owner !== undefined && isMarked(one, owner, head.marks);
  };
  const kin = new Set(table.filter((one) => one !== owner && isAkin(one)).map(({ pid }) => pid));
  const parents = new Map(table.map(({ pid, parent }) => [pid, parent]));
  return table.filter(({ pid }) => descends(pid, kin, parents));
}

function descends(pid: number, from: ReadonlySet<number>, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = parents.get(at)) {
    if (from.has(at)) return true;
  }
  return false;
}

function isMarked({ pid, session, start }: Process, owner: Process, marks: readonly string[]): boolean {
  if (session !== owner.session || start < owner.start) return false;
  const lines = contentOf(`/proc/${pid}/environ`)?.split('\0') ?? [];
  return marks.every((mark) => lines.includes(mark));
}

/** All that live; undefined where the kernel does not tell. */
function processTable(): readonly Process[] | undefined {
  try {
    const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
    return all.length > 0 ? all : undefined;
  } catch {
    return undefined;
  }
}

function statOf(pid: number): Process | undefined {
  const stat = contentOf(`/proc/${pid}/stat`);
  // The name before the last bracket may hold spaces and brackets.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  const [parent = 0, group = 0, session = 0, terminal = 0, foreground = 0] = fields.map(Number);
  return { pid, parent, group, session, terminal, foreground, start: Number(fields[18]) };
}
