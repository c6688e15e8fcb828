import type { CliError } from './errors.ts';
import { configuration } from './errors.ts';

export interface FileFault {
  readonly code: string;
  /** The failure in words. */
  readonly reason: string;
}

/** What the file system said, or undefined for an error of another kind. */
export function fileFault(error: unknown): FileFault | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  return { code: error.code, reason: reasons[error.code] ?? error.code };
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'a file stands where a folder should',
  EFTYPE: 'it is not a regular file',
  EIO: 'the disk reports an input/output error',
  EISDIR: 'a folder stands where a file should',
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file stands where a folder should',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** A file or folder of this machine that cannot be used, as a configuration error; undefined for any other error. */
export function fileUnusable(error: unknown): CliError | undefined {
  const path = error instanceof Error && 'path' in error ? error.path : undefined;
  const fault = fileFault(error);
  if (!fault || typeof path !== 'string' || fault.reason === fault.code) return undefined;
  return configuration('file-unusable', `cannot use ${path}: ${fault.reason}`, moreFiles[fault.code], error);
}

/** A configuration error if this process, or the machine, may open no more files or connections. */
export function tooManyFiles(error: unknown): CliError | undefined {
  const fault = fileFault(error);
  const hint = fault && moreFiles[fault.code];
  return hint === undefined ? undefined : configuration(tooManyFilesCode, fault?.reason ?? '', hint, error);
}

export const tooManyFilesCode = 'too-many-files';

const moreFiles: Readonly<Record<string, string>> = {
  EMFILE: 'raise the limit, for example with "ulimit -n 1024", or lower --concurrency',
  ENFILE: 'close other programs, or raise the limit of the system (fs.file-max)',
};
