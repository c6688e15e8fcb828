import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** An operation in a trace; see `power-cut-trace.ts`. Paths are relative to the recorded folder; bytes are base64. */
export type Operation =
  | {
      readonly do: 'open';
      readonly fd: number;
      readonly path: string;
      readonly creates: boolean;
      readonly truncates: boolean;
      readonly mode: number;
    }
  | { readonly do: 'close'; readonly fd: number }
  | { readonly do: 'write'; readonly fd: number; readonly at: number; readonly bytes: string }
  | { readonly do: 'truncate'; readonly fd: number; readonly size: number }
  | { readonly do: 'sync'; readonly fd: number; readonly number: number }
  | { readonly do: 'synced'; readonly number: number }
  | { readonly do: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly do: 'unlink' | 'rmdir'; readonly path: string }
  | { readonly do: 'mkdir'; readonly path: string; readonly mode: number }
  | { readonly do: 'chmod'; readonly path: string; readonly mode: number }
  | { readonly do: 'send'; readonly socket: number; readonly bytes: string };

/**
 * What happens to the unsynced bytes of each file. `dropped`: they are lost. `zeroed`: the file has its new length, but
 * zeros instead of them. `prefix`: the first half survives. `holes`: the second half survives, after zeros, because the
 * disk wrote it first. `kept`: all survive, as after kill -9. `torn`: the same, but the last write is only half done.
 */
export type Loss = 'dropped' | 'zeroed' | 'prefix' | 'holes' | 'kept' | 'torn';

/** The content of a folder by path, parents first. Hard links share an entry. */
export type Tree = ReadonlyMap<string, Entry>;

interface Entry {
  readonly mode: number;
  /** Undefined for a folder. */
  readonly bytes: Buffer | undefined;
}

export interface Survivor {
  /** Whether unsynced changes of names (create, rename, link, remove) survive. */
  readonly names: 'old' | 'new';
  readonly tree: Tree;
}

interface File {
  mode: number;
  durable: Buffer;
  /** Unsynced. */
  readonly changes: Change[];
  /** The number of changes that are synced. */
  settled: number;
}

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

interface Folder {
  mode: number;
  readonly durable: Map<string, File | Folder>;
  readonly current: Map<string, File | Folder>;
}

interface Name {
  readonly folder: Folder;
  readonly name: string;
  /** Undefined if the name is removed. */
  readonly node: File | Folder | undefined;
}

/**
 * Replays the operations and returns what the disk may hold if the power fails after the last one. As on ext4, XFS and
 * Btrfs, any sync also covers all earlier changes of names.
 */
export function survivors(before: Tree, operations: readonly Operation[], loss: Loss): readonly Survivor[] {
  const root = planted(before);
  const open = new Map<number, File | Folder>();
  const syncs = new Map<number, () => void>();
  /** In the order in which they were made, those of one rename together. */
  const unsynced: (readonly Name[])[] = [];
  for (const operation of loss === 'torn' ? withHalfOfTheLast(operations) : operations) follow(operation);
  const current: Survivor = { names: 'new', tree: treeOf(root, ({ current }) => current, loss) };
  if (unsynced.length === 0) return [current];
  return [{ names: 'old', tree: treeOf(root, ({ durable }) => durable, loss) }, current];

  function follow(operation: Operation): void {
    switch (operation.do) {
      case 'open':
        open.set(operation.fd, opened(operation));
        break;
      case 'close':
        open.delete(operation.fd);
        break;
      case 'write':
        change(fileOf(operation.fd), { at: operation.at, bytes: Buffer.from(operation.bytes, 'base64') });
        break;
      case 'truncate':
        change(fileOf(operation.fd), { size: operation.size });
        break;
      case 'sync':
        syncs.set(operation.number, syncOf(nodeOf(operation.fd)));
        break;
      case 'synced':
        syncs.get(operation.number)?.();
        break;
      case 'link':
        setNames({ ...placeOf(operation.to), node: nodeAt(operation.from) });
        break;
      case 'rename':
        move(operation.from, operation.to);
        break;
      case 'unlink':
      case 'rmdir':
        setNames({ ...placeOf(operation.path), node: undefined });
        break;
      case 'mkdir':
        makeFolder(operation);
        break;
      case 'chmod':
        nodeAt(operation.path).mode = operation.mode;
        break;
      case 'send':
        break;
      default:
        operation satisfies never;
    }
  }

  function opened({ path, creates, truncates, mode }: Extract<Operation, { do: 'open' }>): File | Folder {
    if (creates && !find(root, path)) setNames({ ...placeOf(path), node: emptyFile(mode) });
    const node = nodeAt(path);
    if (truncates && !isFolder(node)) change(node, { size: 0 });
    return node;
  }

  function move(from: string, to: string): void {
    const node = nodeAt(from);
    // POSIX: two names of one file both stay.
    if (find(root, to) !== node) setNames({ ...placeOf(from), node: undefined }, { ...placeOf(to), node });
  }

  function makeFolder({ path, mode }: Extract<Operation, { do: 'mkdir' }>): void {
    if (!find(root, path)) setNames({ ...placeOf(path), node: { mode, durable: new Map(), current: new Map() } });
  }

  function setNames(...names: readonly Name[]): void {
    for (const { folder, name, node } of names) put(folder.current, name, node);
    unsynced.push(names);
  }

  /** Returns what the end of the sync does: it covers what had happened when the sync began. */
  function syncOf(node: File | Folder): () => void {
    const covered = new Set(unsynced);
    const lastChange = isFolder(node) ? 0 : node.settled + node.changes.length;
    return () => {
      if (!isFolder(node)) settle(node, lastChange);
      while (unsynced[0] && covered.has(unsynced[0]))
        for (const { folder, name, node } of unsynced.shift() ?? []) put(folder.durable, name, node);
    };
  }

  function nodeOf(fd: number): File | Folder {
    const node = open.get(fd);
    if (!node) throw new Error(`${fd} is not open`);
    return node;
  }

  function fileOf(fd: number): File {
    const node = nodeOf(fd);
    if (isFolder(node)) throw new Error(`${fd} is a folder`);
    return node;
  }

  function nodeAt(path: string): File | Folder {
    const node = find(root, path);
    if (!node) throw new Error(`${path} was made by another process`);
    return node;
  }

  function placeOf(path: string): { readonly folder: Folder; readonly name: string } {
    const folder = nodeAt(dirname(path) === '.' ? '' : dirname(path));
    if (!isFolder(folder)) throw new Error(`${path} is in no folder`);
    return { folder, name: basename(path) };
  }
}

/** The last operation, if it is a write, writes only the first half of its bytes. */
function withHalfOfTheLast(operations: readonly Operation[]): readonly Operation[] {
  const last = operations.at(-1);
  if (last?.do !== 'write') return operations;
  const bytes = Buffer.from(last.bytes, 'base64');
  return [...operations.slice(0, -1), { ...last, bytes: bytes.subarray(0, bytes.length / 2).toString('base64') }];
}

export function readTree(folder: string): Tree {
  const tree = new Map<string, Entry>();
  const entries = new Map<number, Entry>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const stats = lstatSync(join(folder, path));
    if (!stats.isFile() && !stats.isDirectory()) throw new Error(`${path} is neither a file nor a folder`);
    const read = () => (stats.isFile() ? readFileSync(join(folder, path)) : undefined);
    const entry = entries.get(stats.ino) ?? { mode: stats.mode & 0o7777, bytes: read() };
    entries.set(stats.ino, entry);
    tree.set(path, entry);
  }
  return tree;
}

/** Replaces the content of a folder. */
export function layOut(tree: Tree, folder: string, changedAt: Date): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  const places = new Map<Entry, string>();
  for (const [path, entry] of tree) {
    const [place, twin] = [join(folder, path), places.get(entry)];
    if (twin !== undefined) linkSync(twin, place);
    else if (entry.bytes) writeFileSync(place, entry.bytes);
    else mkdirSync(place);
    places.set(entry, place);
  }
  for (const [{ mode }, place] of [...places].toReversed()) {
    chmodSync(place, mode);
    utimesSync(place, changedAt, changedAt);
  }
}

function planted(tree: Tree): Folder {
  const root: Folder = { mode: 0o700, durable: new Map(), current: new Map() };
  const nodes = new Map<Entry, File | Folder>();
  for (const [path, entry] of tree) {
    const folder = find(root, dirname(path) === '.' ? '' : dirname(path));
    const node = nodes.get(entry) ?? nodeFor(entry);
    nodes.set(entry, node);
    if (!folder || !isFolder(folder)) throw new Error(`${path} comes before its folder`);
    for (const names of [folder.durable, folder.current]) names.set(basename(path), node);
  }
  return root;
}

function nodeFor({ mode, bytes }: Entry): File | Folder {
  return bytes ? { ...emptyFile(mode), durable: bytes } : { mode, durable: new Map(), current: new Map() };
}

function emptyFile(mode: number): File {
  return { mode, durable: Buffer.alloc(0), changes: [], settled: 0 };
}

function find(root: Folder, path: string): File | Folder | undefined {
  let node: File | Folder | undefined = root;
  for (const name of path === '' ? [] : path.split('/'))
    node = node && isFolder(node) ? node.current.get(name) : undefined;
  return node;
}

function isFolder(node: File | Folder): node is Folder {
  return 'current' in node;
}

function put(names: Folder['current'], name: string, node: File | Folder | undefined): void {
  if (node) names.set(name, node);
  else names.delete(name);
}

function treeOf(root: Folder, namesIn: (folder: Folder) => Folder['current'], loss: Loss): Tree {
  const tree = new Map<string, Entry>();
  const entries = new Map<File, Entry>();
  const walk = (folder: Folder, above: string) => {
    for (const [name, node] of namesIn(folder)) {
      tree.set(join(above, name), isFolder(node) ? { mode: node.mode, bytes: undefined } : entryOf(node));
      if (isFolder(node)) walk(node, join(above, name));
    }
  };
  walk(root, '');
  return tree;

  function entryOf(file: File): Entry {
    const entry = entries.get(file) ?? { mode: file.mode, bytes: survivingBytes(file, loss) };
    entries.set(file, entry);
    return entry;
  }
}

function change(file: File, change: Change): void {
  file.changes.push(change);
}

function settle(file: File, last: number): void {
  const count = Math.max(0, last - file.settled);
  file.durable = file.changes.splice(0, count).reduce(kept, file.durable);
  file.settled += count;
}

type Fate = (bytes: Buffer, change: Change) => Buffer;

const lost: Fate = (bytes) => bytes;

const zeros: Fate = (bytes, change) => {
  return ofSize(bytes, 'size' in change ? change.size : Math.max(bytes.length, change.at + change.bytes.length));
};

const kept: Fate = (bytes, change) => {
  const changed = zeros(bytes, change);
  if ('bytes' in change) change.bytes.copy(changed, change.at);
  return changed;
};

/** The fate of the first half of the bytes and of the second. */
const halves: Readonly<Record<Loss, readonly [Fate, Fate]>> = {
  dropped: [lost, lost],
  zeroed: [zeros, zeros],
  prefix: [kept, lost],
  holes: [zeros, kept],
  kept: [kept, kept],
  torn: [kept, kept],
};

function survivingBytes({ durable, changes }: File, loss: Loss): Buffer {
  const [first, second] = halvesOf(changes);
  const [ofFirst, ofSecond] = halves[loss];
  return second.reduce(ofSecond, first.reduce(ofFirst, durable));
}

function halvesOf(changes: readonly Change[]): readonly [readonly Change[], readonly Change[]] {
  let left = Math.floor(changes.reduce((sum, change) => sum + weightOf(change), 0) / 2);
  const [first, second]: [Change[], Change[]] = [[], []];
  for (const change of changes) {
    const taken = Math.min(left, weightOf(change));
    left -= taken;
    if (taken === weightOf(change)) first.push(change);
    else if (taken === 0 || 'size' in change) second.push(change);
    else {
      first.push({ at: change.at, bytes: change.bytes.subarray(0, taken) });
      second.push({ at: change.at + taken, bytes: change.bytes.subarray(taken) });
    }
  }
  return [first, second];
}

function weightOf(change: Change): number {
  return 'size' in change ? 1 : change.bytes.length;
}

/** Copies the bytes, truncated or padded with zeros. */
function ofSize(bytes: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  bytes.copy(copy);
  return copy;
}
