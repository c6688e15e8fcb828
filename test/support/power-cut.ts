import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Running } from './bin.ts';
import { alive } from './cli.ts';
import { canTrace, operationsIn, tracing } from './power-cut-trace.ts';
import { layOut, type Loss, type Operation, readTree, type Survivor, survivors, type Tree } from './power-cut-disk.ts';

/** Why runs cannot be recorded on this system; undefined if they can. */
export const noPowerCut = canTrace ? undefined : 'skipped: needs strace';

export interface RecordOptions {
  /** File operations in it are recorded. It is also the working directory of the process. */
  readonly folder: string;
  /** The arguments of `node`. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Its clock is slow by the time until the machine runs again, as long as restored files are old. */
  readonly isBeforeCut?: boolean;
  /** Runs while the process runs; must make a server end. */
  readonly during?: (running: Running) => Promise<void>;
}

/** The file operations of a process and the requests it sent, in one sequence. */
export interface Trace {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly operations: readonly Operation[];
  readonly requests: readonly SentRequest[];
  /** Possible contents of the disk after a power cut: one, or two if it may have old or new names. */
  statesAfterCut(cut: Cut): readonly DiskState[];
  /** Up to `most` cuts, spread evenly from before the first operation to after the last. */
  cutPoints(most: number): readonly number[];
}

export interface Cut {
  /** The number of operations before the power cut. */
  readonly at: number;
  readonly unsynced: Loss;
}

interface SentRequest {
  /** The index of the operation that sent its last byte: the request had left before a cut if this is less. */
  readonly at: number;
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

export interface DiskState extends Cut, Pick<Survivor, 'names'> {
  /** The text of each file by its path. */
  readonly files: ReadonlyMap<string, string>;
  /** Replaces the content of a folder. The files are two minutes old, so that locks of the previous boot are stale. */
  restoreTo(folder: string): void;
}

/** Runs a Node process to its end. It sees another boot id, so that its locks belong to a previous boot. */
export async function recordRun({
  folder,
  command,
  env = {},
  isBeforeCut = false,
  during,
}: RecordOptions): Promise<Trace> {
  const before = readTree(folder);
  const own = mkdtempSync(join(tmpdir(), 'bizmsg-trace-'));
  const tracePath = join(own, 'trace');
  const restart = {
    BIZMSG_TEST_BOOT: randomUUID(),
    BIZMSG_TEST_AHEAD: String(isBeforeCut ? -downtime : 0),
  };
  const [name = '', ...words] = [...tracing(tracePath), process.execPath, '--require', preload, ...command];
  const child = spawn(name, words, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env, ...restart },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // strace, and the process that it records.
  onTestFinished(() => void alive(-(child.pid ?? 0), 'SIGKILL'));
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (part: Buffer) => (text.stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (text.stderr += part.toString()));
  const ended = once(child, 'close').then(() => child.exitCode);
  try {
    await during?.({ pid: await pidIn(tracePath), stdout: () => text.stdout, stderr: () => text.stderr, ended });
    const code = await ended;
    const operations = operationsIn(readFileSync(tracePath, 'latin1'), realpathSync(folder), before);
    return { code, ...text, ...traceOf(before, operations) };
  } finally {
    rmSync(own, { recursive: true });
  }
}

/** Owners of another boot count as dead after 90 seconds without a heartbeat. */
const downtime = 120_000;
const preload = fileURLToPath(new URL('./other-boot-preload.cjs', import.meta.url));

/** The first process in a trace. */
async function pidIn(tracePath: string): Promise<number> {
  for (;;) {
    const [pid = ''] = existsSync(tracePath) ? readFileSync(tracePath, 'latin1').split(' ', 1) : [];
    if (pid !== '') return Number(pid);
    await new Promise(setImmediate);
  }
}

function traceOf(before: Tree, operations: readonly Operation[]): Omit<Trace, 'code' | 'stdout' | 'stderr'> {
  return {
    operations,
    requests: requestsIn(operations),
    statesAfterCut(cut) {
      return survivors(before, operations.slice(0, cut.at), cut.unsynced).map(({ names, tree }) => ({
        ...cut,
        names,
        files: textsIn(tree),
        restoreTo: (folder) => layOut(tree, folder, new Date(Date.now() - downtime)),
      }));
    },
    cutPoints(most) {
      const last = operations.length;
      const points = Array.from({ length: most }, (_, number) => Math.round((number * last) / (most - 1)));
      return [...new Set(points)];
    },
  };
}

function textsIn(tree: Tree): ReadonlyMap<string, string> {
  const files = [...tree].flatMap(([path, { bytes }]) => (bytes ? [[path, bytes.toString()] as const] : []));
  return new Map(files);
}

/** Complete requests only. */
function requestsIn(operations: readonly Operation[]): readonly SentRequest[] {
  const unread = new Map<number, Buffer>();
  return operations.flatMap((operation, at) => {
    if (operation.do !== 'send') return [];
    const { socket, bytes } = operation;
    const found: SentRequest[] = [];
    let rest = Buffer.concat([unread.get(socket) ?? Buffer.alloc(0), Buffer.from(bytes, 'base64')]);
    for (let end = endOfRequest(rest); end !== undefined; end = endOfRequest(rest)) {
      found.push({ at, ...requestIn(rest.subarray(0, end)) });
      rest = rest.subarray(end);
    }
    unread.set(socket, rest);
    return found;
  });
}

/** Undefined if the bytes are not a complete request. */
function endOfRequest(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  const head = bytes.toString('latin1', 0, Math.max(headEnd, 0));
  if (!/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(head)) return undefined;
  if (/^transfer-encoding:/im.test(head)) throw new Error('cannot parse a chunked request');
  const end = headEnd + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return end <= bytes.length ? end : undefined;
}

function requestIn(bytes: Buffer): Omit<SentRequest, 'at'> {
  const [, method = '', target = ''] = /^(\S+) (\S+)/.exec(bytes.toString('latin1')) ?? [];
  return { method, target, body: bytes.toString('utf8', bytes.indexOf('\r\n\r\n') + 4) };
}
