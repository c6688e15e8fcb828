import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileFault } from '../../file-fault.ts';

/** A file that has its name only once it is whole; for this user alone. */
export interface Draft {
  write(text: string): void;
  /** Undefined where nothing was written, and so no file was made. */
  end(): { readonly sha256: string } | undefined;
  /** Instead of the one that stands there. */
  replace(file: string): void;
  /** By the first of these names that nobody has, which comes back. */
  nameFreely(nameOf: (count: number) => string): string;
  /** Nothing of it stays, unless it has its name. */
  drop(): void;
}

const bufferSize = 65_536;

export function createDraft(besides: string): Draft {
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
    replace: name,
    nameFreely(nameOf) {
      const file = claimed(nameOf);
      try {
        name(file);
        return file;
      } catch (error) {
        rmSync(file, { force: true });
        throw error;
      }
    },
    drop() {
      close();
      if (made) rmSync(path, { force: true });
    },
  };

  function flush(): void {
    if (text === '') return;
    fd ??= openSync(path, 'wx', 0o600);
    made = true;
    const bytes = Buffer.from(text);
    // A plain write may write a part, and say no more than that.
    writeFileSync(fd, bytes);
    hash.update(bytes);
    text = '';
  }

  function close(): void {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  }

  function name(file: string): void {
    renameSync(path, file);
    made = false;
  }
}

/** An empty file stands there for a moment, so that another process takes the next name. */
function claimed(nameOf: (count: number) => string): string {
  for (let count = 1; ; count++) {
    const file = nameOf(count);
    try {
      closeSync(openSync(file, 'wx', 0o600));
      return file;
    } catch (error) {
      if (fileFault(error)?.code !== 'EEXIST') throw error;
    }
  }
}
