import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { usage } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';

/** A file that is there as long as a listener is ready, whole from its first instant. */
export function writeReadyFile(path: string, content: object): void {
  const draft = `${path}.new`;
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Only what a listener has left there: whatever else has that name is its owner's. */
export function removeReadyFile(path: string | undefined): void {
  if (path === undefined) return;
  const found = contentOf(path);
  if (found === undefined) return;
  if (!found.startsWith('{"type":"ready"')) {
    throw usage(`"${path}" is there already, and no listener has written it`, 'give --ready-file a name of its own');
  }
  rmSync(path, { force: true });
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const fault = fileFault(error);
    if (fault?.code === 'ENOENT') return undefined;
    throw usage(`"${path}" cannot be a ready file: ${fault?.reason ?? String(error)}`, 'give --ready-file another name');
  }
}
