import { randomBytes } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fsError } from './errors.ts';

// Windows soon gives the number of an ended process to a new process, and the time of its start is slow to read. So a
// process holds a file open that no other process can open meanwhile, and that the system removes with it.

/** Flags of libuv: no other process may open the file, and it is removed when it is closed. */
const [alone, temporary] = [0x1000_0000, 0x40];

let own: { readonly pid: number; readonly sign: string } | undefined;

/** The sign of this process, which it holds until its end; `-` if this runtime cannot hold one, and for other processes. */
export function lifeSignOf(pid: number): string {
  own ??= { pid, sign: held(pid) ?? '-' };
  return own.pid === pid ? own.sign : '-';
}

function held(pid: number): string | undefined {
  const sign = randomBytes(6).toString('hex');
  const path = pathOf(pid, sign);
  try {
    mkdirSync(folder(), { recursive: true });
    const { O_CREAT, O_EXCL, O_RDWR } = constants;
    const fd = openSync(path, O_CREAT | O_EXCL | O_RDWR | alone | temporary);
    if (isLifeSignHeld(pid, sign)) return sign;
    closeSync(fd);
  } catch (error) {
    if (!fsError(error)) throw error;
  }
  return undefined;
}

/** Whether a process with this pid holds this sign. */
export function isLifeSignHeld(pid: number, sign: string): boolean {
  try {
    closeSync(openSync(pathOf(pid, sign), 'r'));
    return false;
  } catch (error) {
    // Any other error does not tell, so the process counts as alive.
    return fsError(error)?.code !== 'ENOENT';
  }
}

function pathOf(pid: number, sign: string): string {
  return join(folder(), `${pid}-${sign}`);
}

/** The same for all processes of this user, whatever their variables are. */
function folder(): string {
  return join(userInfo().homedir, 'AppData', 'Local', 'bizmsg', 'alive');
}
