import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileFault } from '../../file-fault.ts';

/** A file that has its name only once it is whole; for this user alone. */
export interface Draft {
  write(text: string): void;
  /** Undefined where nothing was written, and so no file was made. */
  end(): { readonly sha256: string } | undefined;
  /** Instead of the one that stands there. */
  replace(file: string): void;
  /** By the first of these names that nobody has, which comes back; it is told before it is given. */
  nameFreely(nameOf: (count: number) => string, told: (file: string) => void): string;
  /** Nothing of it stays, unless it has its name. */
  drop(): void;
}

const bufferSize = 65_536;

/** It is told by which name it is made before it is, so that what a crash leaves of it is known. */
export function createDraft(besides: string, told: (path: string) => void): Draft {
  const path = `${besides}.${randomBytes(6).toString('hex')}.new`;
  const hash = createHash('sha256');
  let fd: number | undefined;
  let [text, made] = ['', false];
  return {
    write(more) {
      text += more;
      if (text.length >= bufferSize) flush();
    },
    end() {
      flush();
      if (fd === undefined) return undefined;
      fsyncSync(fd);
      close();
      return { sha256: hash.digest('hex') };
    },
    replace(file) {
      renameSync(path, file);
      made = false;
    },
    nameFreely(nameOf, told) {
      for (let count = 1; ; count++) {
        const file = nameOf(count);
        if (existsSync(file)) continue;
        told(file);
        if (named(path, file)) return file;
      }
    },
    drop() {
      close();
      if (made) rmSync(path, { force: true });
    },
  };

  function flush(): void {
    if (text === '') return;
    fd ??= make();
    const bytes = Buffer.from(text);
    // A plain write may write a part, and say no more than that.
    writeFileSync(fd, bytes);
    hash.update(bytes);
    text = '';
  }

  function make(): number {
    told(path);
    made = true;
    return openSync(path, 'wx', 0o600);
  }

  function close(): void {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  }
}

/** What a crash left of one whose name was told. */
export function removeLeft(path: string): void {
  if (/\.[0-9a-f]{12}\.new$/.test(path)) rmSync(path, { force: true });
}

/** A second name, which fails where somebody has it; the first goes with the draft. */
function named(path: string, file: string): boolean {
  try {
    linkSync(path, file);
    return true;
  } catch (error) {
    return fileFault(error)?.code === 'EEXIST' ? false : claimed(path, file);
  }
}

/** Where files have one name each. An empty one stands there for a moment, so that another process takes the next. */
function claimed(path: string, file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (fileFault(error)?.code === 'EEXIST') return false;
    throw error;
  }
  try {
    renameSync(path, file);
    return true;
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
