import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createRejects } from '../../bulk/rows/rejects.ts';
import type { Source } from '../../bulk/rows/source.ts';
import { rejectedRows } from '../../bulk/run/rejects.ts';
import type { Summary } from '../../bulk/run/summary.ts';
import type { Context } from '../../cli/command.ts';
import { fileFault } from '../../file-fault.ts';
import { besideOf } from './input.ts';

export interface Files {
  readonly failed: string | null;
  readonly unsure: string | null;
}

interface Written {
  readonly folder: string;
  readonly source: Source;
  /** Undefined for stdin. */
  readonly path: string | undefined;
}

/** Writes the rows that failed and those that are unsure, of the whole run, where the user finds them. */
export async function writeFiles(context: Context, run: Written, { failed, unsure }: Summary): Promise<Files> {
  if (failed + unsure === 0) return { failed: null, unsure: null };
  const outputs = {
    failed: failed > 0 ? openOutput(context, run, 'failed') : undefined,
    unsure: unsure > 0 ? openOutput(context, run, 'unsure') : undefined,
  };
  for await (const batch of rejectedRows(run.folder, run.source.rows())) {
    for (const { outcome, row, reason } of batch) outputs[outcome]?.rejects.add(row, reason);
  }
  return { failed: outputs.failed?.close() ?? null, unsure: outputs.unsure?.close() ?? null };
}

/** Whole when it has its name, for this user alone. */
function openOutput(context: Context, { folder, source, path }: Written, word: 'failed' | 'unsure') {
  const inside = join(folder, `${word}.${source.format}`);
  let file = path === undefined ? inside : besideOf(path, word);
  let fd = draftAt(file);
  if (fd === undefined) {
    context.note('elsewhere', `${file} cannot be written, so the rows are in ${inside}`);
    file = inside;
    fd = openSync(`${inside}.new`, 'w', 0o600);
  }
  const handle = fd;
  const rejects = createRejects(source, (text) => void writeSync(handle, text));
  return {
    rejects,
    close(): string {
      rejects.end();
      closeSync(handle);
      renameSync(`${file}.new`, file);
      return file;
    },
  };
}

function draftAt(file: string): number | undefined {
  try {
    rmSync(`${file}.new`, { force: true });
    return openSync(`${file}.new`, 'wx', 0o600);
  } catch (error) {
    if (fileFault(error)) return undefined;
    throw error;
  }
}
