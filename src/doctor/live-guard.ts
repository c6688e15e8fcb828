import * as fs from 'node:fs';
import { CliError } from '../base/errors.ts';
import { fileFault } from '../base/files.ts';
import { type Check, checksOf } from './check.ts';
import { shellPath } from './shell-words.ts';

const { pass, fail } = checksOf('machine');

export interface Ledger {
  readonly folder: string;
  /** Reads all of it and changes nothing; throws if it cannot be used. */
  readonly check: () => void;
}

const lack = 'so messages with a live key are refused';

/** Whether the ledger, which keeps messages from being sent twice, can be read and written. Writes nothing. */
export function liveGuardCheck({ folder, check }: Ledger): Check {
  try {
    checkFolder(folder);
    check();
  } catch (error) {
    if (error instanceof CliError)
      return fail('ledger', `${error.message}, ${lack}`, error.hint ?? null, 'configuration');
    return unusable(folder, error);
  }
  return pass('ledger', 'a message that is sent twice is noticed');
}

function checkFolder(folder: string): void {
  const found = fs.statSync(folder, { throwIfNoEntry: false });
  // It is created on first use.
  if (!found) return;
  if (!found.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR', path: folder });
  fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
}

function unusable(folder: string, error: unknown): Check {
  const fault = fileFault(error);
  if (!fault) throw error;
  const path = pathOf(error) ?? folder;
  const bits = path === folder ? 'rwx' : 'rw';
  const isMode = fault.code === 'EACCES' || fault.code === 'EPERM';
  const remedy = isMode ? `chmod u+${bits} ${shellPath(path)}` : `mv ${shellPath(path)} ${shellPath(`${path}.away`)}`;
  return fail('ledger', `cannot use ${path}: ${fault.reason}, ${lack}`, remedy, 'configuration');
}

function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}
