import { join, relative } from 'node:path';
import { spawnSync } from 'node:child_process';
import type { Operation, Tree } from './power-cut-disk.ts';

const traced =
  'openat,close,write,pwrite64,writev,ftruncate,fsync,fdatasync,chmod,fchmod,rename,link,unlink,unlinkat,mkdir,rmdir,socket,accept4,sendto';

/** True if strace can record a process here. */
export const canTrace = spawnSync('sh', ['-c', 'exec strace -qq -e trace=none true']).status === 0;

/** The words of a command prefix that records the system calls of a process, with all their bytes. */
export function tracing(path: string): readonly string[] {
  return ['strace', '-f', '-qq', '-xx', '-s', '100000000', '-o', path, '-e', `trace=${traced}`, '-e', 'signal=none'];
}

/** A system call, as it begins or ends. */
interface Call {
  readonly name: string;
  readonly words: string;
  /** Undefined while it runs. */
  readonly result: number | undefined;
}

/** The operations on a folder, and the bytes that were sent, in the order in which they ended. */
export function operationsIn(text: string, folder: string, before: Tree): readonly Operation[] {
  const operations: Operation[] = [];
  /** Paths of open files and folders in the folder, and where the next byte is written. */
  const files = new Map<number, { readonly path: string; at: number }>();
  /** A number for each connection: descriptors are used again. */
  const sockets = new Map<number, number>();
  const sizes = new Map([...before].map(([path, { bytes }]) => [path, bytes?.length ?? 0]));
  const running = new Map<string, number>();
  let [syncs, connections] = [0, 0];
  for (const { thread, call } of callsIn(text)) follow(call, thread);
  return operations;

  function follow({ name, words, result }: Call, thread: string): void {
    const [fd = -1] = numbersIn(words);
    if (name === 'fsync' || name === 'fdatasync') return sync(fd, thread, result);
    if (result === undefined || result < 0) return;
    const [path, other] = textsIn(words).map((bytes) => inside(bytes.toString()));
    if (name === 'openat') return opened(path, words, result);
    if (name === 'socket' || name === 'accept4') return void sockets.set(result, ++connections);
    if (name === 'close') return closed(fd);
    if (name === 'write' || name === 'writev' || name === 'sendto' || name === 'pwrite64') {
      const bytes = Buffer.concat(textsIn(words)).subarray(0, result);
      return written(fd, bytes, name === 'pwrite64' ? numbersIn(words).at(-1) : undefined);
    }
    const file = files.get(fd);
    const mode = Number.parseInt(/, (0\d*)$/.exec(words)?.[1] ?? '0', 8);
    if (name === 'ftruncate' && file) {
      sizes.set(file.path, numbersIn(words)[1] ?? 0);
      operations.push({ do: 'truncate', fd, size: numbersIn(words)[1] ?? 0 });
    } else if (name === 'fchmod' && file) operations.push({ do: 'chmod', path: file.path, mode });
    else if (name === 'unlinkat') removed(words);
    else if (path === undefined) return;
    else if (name === 'mkdir') operations.push({ do: 'mkdir', path, mode });
    else if (name === 'chmod') operations.push({ do: 'chmod', path, mode });
    else if (name === 'unlink' || name === 'rmdir') operations.push({ do: name, path });
    else if ((name === 'rename' || name === 'link') && other !== undefined) {
      sizes.set(other, sizes.get(path) ?? 0);
      operations.push({ do: name, from: path, to: other });
    }
  }

  function opened(path: string | undefined, words: string, fd: number): void {
    if (path === undefined) return;
    const mode = Number.parseInt(/, (0\d*)$/.exec(words)?.[1] ?? '0', 8) & ~0o022;
    const [creates, truncates] = [words.includes('O_CREAT'), words.includes('O_TRUNC')];
    operations.push({ do: 'open', fd, path, creates, truncates, mode });
    if (truncates) sizes.set(path, 0);
    files.set(fd, { path, at: words.includes('O_APPEND') ? Infinity : 0 });
  }

  function closed(fd: number): void {
    sockets.delete(fd);
    if (files.delete(fd)) operations.push({ do: 'close', fd });
  }

  function written(fd: number, bytes: Buffer, place: number | undefined): void {
    const encoded = bytes.toString('base64');
    const socket = sockets.get(fd);
    if (socket !== undefined) operations.push({ do: 'send', socket, bytes: encoded });
    const file = files.get(fd);
    if (!file || bytes.length === 0) return;
    const size = sizes.get(file.path) ?? 0;
    const at = place ?? (file.at === Infinity ? size : file.at);
    operations.push({ do: 'write', fd, at, bytes: encoded });
    sizes.set(file.path, Math.max(size, at + bytes.length));
    if (place === undefined && file.at !== Infinity) file.at += bytes.length;
  }

  function sync(fd: number, thread: string, result: number | undefined): void {
    const began = running.get(thread);
    if (began === undefined && files.has(fd)) operations.push({ do: 'sync', fd, number: ++syncs });
    if (result === undefined) return void (files.has(fd) && running.set(thread, syncs));
    if (began !== undefined || files.has(fd)) operations.push({ do: 'synced', number: began ?? syncs });
    running.delete(thread);
  }

  function removed(words: string): void {
    const [name = Buffer.alloc(0)] = textsIn(words);
    const parent = files.get(numbersIn(words)[0] ?? -1);
    const path = words.startsWith('AT_FDCWD') ? inside(name.toString()) : parent && join(parent.path, name.toString());
    if (path !== undefined) operations.push({ do: words.includes('AT_REMOVEDIR') ? 'rmdir' : 'unlink', path });
  }

  /** The path in the folder, which is the working directory; undefined outside of it. */
  function inside(path: string): string | undefined {
    const found = relative(folder, path.startsWith('/') ? path : join(folder, path));
    return found.startsWith('..') ? undefined : found;
  }
}

/** Calls that ran while others did have two lines, and are reported when they begin and when they end. */
function* callsIn(text: string): Generator<{ readonly thread: string; readonly call: Call }> {
  const begun = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const [, name, words] = /^(\w+)\((.*) <unfinished \.\.\.>$/.exec(rest) ?? [];
    if (name !== undefined && words !== undefined) {
      begun.set(thread, words);
      yield { thread, call: { name, words, result: undefined } };
      continue;
    }
    const [, resumed, ending] = /^<\.\.\. (\w+) resumed>(.*)$/.exec(rest) ?? [];
    const whole = resumed === undefined ? rest : `${resumed}(${begun.get(thread) ?? ''}${ending}`;
    const [, ended, all = '', result] = /^(\w+)\((.*)\) += (-?\d+)/.exec(whole) ?? [];
    if (ended !== undefined) yield { thread, call: { name: ended, words: all, result: Number(result) } };
  }
}

/** The texts of a call. */
function textsIn(words: string): readonly Buffer[] {
  return [...words.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) =>
    Buffer.from(text.replaceAll('\\x', ''), 'hex'),
  );
}

function numbersIn(words: string): readonly number[] {
  return words
    .split(', ')
    .filter((word) => /^\d+$/.test(word))
    .map(Number);
}
