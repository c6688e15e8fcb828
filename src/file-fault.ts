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
  EFTYPE: 'it is no file of the usual kind',
  EISDIR: 'a folder stands where a file should',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file stands where a folder should',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};
