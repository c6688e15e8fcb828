import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** A file that is there as long as a listener is ready, whole from its first instant. */
export function writeReadyFile(path: string, content: object): void {
  const draft = `${path}.new`;
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

export function removeReadyFile(path: string | undefined): void {
  if (path !== undefined) rmSync(path, { force: true });
}
