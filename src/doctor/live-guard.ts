import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileFault } from '../file-fault.ts';
import { openRegular } from '../regular-file.ts';
import type { Check } from './check.ts';
import { checksOf } from './check.ts';
import { shellPath } from './shell-words.ts';

const { pass, fail } = checksOf('machine');

export interface Log {
  readonly folder: string;
  /** The newest first. */
  readonly files: readonly string[];
}

/** Of the secret by which a message is known again. */
const secretLength = 32;
const lack = 'so a second send of a live message may not be noticed';

/** Whether what keeps a live message from being sent twice can be read and written. Nothing is written to find out. */
export function liveGuardCheck({ folder, files }: Log): Check {
  const [newest, ...older] = files;
  const secret = join(folder, 'secret');
  const steps = [
    () => folderFault(folder),
    () => secretFault(secret),
    () => fileProblem(newest, fs.constants.O_RDWR | fs.constants.O_APPEND),
    ...older.map((path) => () => fileProblem(path, fs.constants.O_RDONLY)),
  ];
  for (const step of steps) {
    const found = step();
    if (found) return fail('activity', `${found.what}, ${lack}`, found.remedy, 'configuration');
  }
  return pass('activity', 'a live message that is sent twice is noticed');
}

interface Problem {
  readonly what: string;
  readonly remedy: string;
}

function folderFault(folder: string): Problem | undefined {
  return attempt(folder, 'rwx', () => {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    if (!fs.statSync(folder).isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
    return undefined;
  });
}

function secretFault(path: string): Problem | undefined {
  return attempt(path, 'rw', () => {
    if (sizeOf(path, fs.constants.O_RDONLY) === secretLength) return undefined;
    const first = 'no earlier send is known again without it: look at bizmsg activity --live --failed';
    return { what: `${path} is damaged`, remedy: `${first}, and only then rm ${shellPath(path)}` };
  });
}

function fileProblem(path: string | undefined, flags: number): Problem | undefined {
  if (path === undefined) return undefined;
  return attempt(path, 'rw', () => void sizeOf(path, flags));
}

function attempt(path: string, bits: string, look: () => Problem | undefined): Problem | undefined {
  try {
    return look();
  } catch (error) {
    const fault = fileFault(error);
    if (!fault) throw error;
    // It is made when it is needed.
    if (fault.code === 'ENOENT') return undefined;
    const isMode = fault.code === 'EACCES' || fault.code === 'EPERM';
    const word = shellPath(path);
    const remedy = isMode
      ? `chmod u+${bits} ${word}`
      : `mv ${word} ${shellPath(`${path}.away`)}; what it says of earlier calls is then not known`;
    return { what: `cannot use ${path}: ${fault.reason}`, remedy };
  }
}

function sizeOf(path: string, flags: number): number {
  const fd = openRegular(path, flags);
  try {
    return fs.fstatSync(fd).size;
  } finally {
    fs.closeSync(fd);
  }
}
