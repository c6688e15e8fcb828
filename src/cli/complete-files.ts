import { chmodSync, lstatSync, readlinkSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CliError, configuration } from '../base/errors.ts';
import { fileFault, makeFolder, readRegular } from '../base/files.ts';

/** The file's text; undefined where there is none. A start-up file may be in any encoding, so bytes are kept. */
export function textOf(path: string): string | undefined {
  try {
    return readRegular(path).toString('latin1');
  } catch (error) {
    const fault = fileFault(error);
    if (fault?.code === 'ENOENT' || fault?.code === 'ENOTDIR') return undefined;
    throw fault ? unusable('read', path, error) : error;
  }
}

/** In one go, with the mode that it had; a link stays a link. */
export function writeText(path: string, text: string, pid: number): void {
  try {
    makeFolder(dirname(path));
    const real = realOf(path);
    const aside = `${real}.${pid}`;
    try {
      writeFileSync(aside, text, { encoding: 'latin1', mode: 0o644, flag: 'wx' });
      if (textOf(real) !== undefined) chmodSync(aside, statSync(real).mode & 0o7777);
      renameSync(aside, real);
    } catch (error) {
      rmSync(aside, { force: true });
      throw error;
    }
  } catch (error) {
    throw fileFault(error) ? unusable('write', path, error) : error;
  }
}

export function removeFile(path: string): void {
  try {
    rmSync(path);
  } catch (error) {
    throw fileFault(error) ? unusable('remove', path, error) : error;
  }
}

/** A link that leads nowhere: whoever writes there would put a file in its place. */
export function refuseDangling(path: string): void {
  if (isLink(path) && textOf(path) === undefined) {
    const message = `${path} is a link to ${readlinkSync(path)}, which is not there`;
    throw configuration('completion-files', message, 'make that file first, or remove the link');
  }
}

export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Nothing is there, or nothing can be.
    return false;
  }
}

/** Text as it is in a file that is read byte by byte. */
export function inBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function unusable(what: string, path: string, error: unknown): CliError {
  const reason = fileFault(error)?.reason ?? String(error);
  return configuration('completion-files', `cannot ${what} ${path}: ${reason}`, undefined, error);
}
