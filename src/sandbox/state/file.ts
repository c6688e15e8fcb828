import { existsSync, readFileSync, renameSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { configuration, reasonOf } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import { exactJson, jsonText } from '../../base/json.ts';
import { isRecord } from '../../contract/readers.ts';
import { loadedState, settingsOf, type State } from './state.ts';

interface FileOptions {
  readonly host: Pick<Host, 'now' | 'later'>;
  /** Whether this process still owns the folder. */
  readonly isOurs: () => boolean;
  readonly warn: (text: string) => void;
}

/** The file that a sandbox's state is saved in. */
export interface StateFile {
  /** The saved state. */
  readonly past: State | undefined;
  /** Saves the state soon. */
  changed(state: State): void;
  /** Resolves once everything is saved. */
  close(): Promise<void>;
}

const version = 1;
/** Milliseconds between a change and its save, and how many times longer it is than a save. */
const pause = { least: 500, times: 2 };
const retryAfter = 5_000;

/** Opens the file of a folder that this process owns. */
export function openStateFile(folder: string, options: FileOptions): StateFile {
  const { host, isOurs, warn } = options;
  const path = join(folder, 'state.json');
  let unsaved: State | undefined;
  let saving: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let hasWarned = false;
  return {
    past: pastIn(path, options),
    changed(state) {
      unsaved = state;
      if (!saving) cancel ??= host.later(pause.least, start);
    },
    async close() {
      cancel?.();
      await saving;
      cancel?.();
      try {
        await save();
      } catch (error) {
        throw configuration('state-unwritable', `cannot write ${path}: ${reasonOf(error)}`, undefined, error);
      }
    },
  };

  function start(): void {
    cancel = undefined;
    saving = saveAndRepeat();
  }

  async function saveAndRepeat(): Promise<void> {
    const started = performance.now();
    let wait = retryAfter;
    try {
      await save();
      wait = Math.max(pause.least, pause.times * (performance.now() - started));
      hasWarned = false;
    } catch (error) {
      if (!hasWarned) warn(`the state cannot be saved for now: ${reasonOf(error)}`);
      hasWarned = true;
    }
    saving = undefined;
    if (unsaved) cancel = host.later(wait, start);
  }

  async function save(): Promise<void> {
    const state = unsaved;
    unsaved = undefined;
    if (!state || !isOurs()) return;
    const draft = `${path}.new`;
    try {
      await write(draft, partsOf(state));
      if (isOurs()) renameSync(draft, path);
    } catch (error) {
      unsaved ??= state;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** Other work happens between two parts, so that requests never wait long for a save. */
async function write(path: string, parts: Iterable<string>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for (const part of parts) await file.writeFile(part);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Takes the state as it is now; its JSON is made while it is read. */
export function partsOf(state: State): Iterable<string> {
  const head = jsonText({ version, ...settingsOf(state) }).slice(0, -1);
  const tables = Object.entries(state.tables).map(([name, table]) => ({ name, next: table.next, all: table.all() }));
  return (function* () {
    yield head;
    for (const { name, next, all } of tables) {
      yield `,\n"${name}":{"next":${next},"list":[`;
      for (let at = 0; at < all.length; at += atOnce)
        yield (at === 0 ? '' : ',\n') + jsonText(all.slice(at, at + atOnce)).slice(1, -1);
      yield ']}';
    }
    yield '}\n';
  })();
}

/** Records whose JSON takes a few milliseconds. */
const atOnce = 200;

/** Moves a file aside that is damaged, or of another version. */
function pastIn(path: string, { host, warn }: FileOptions): State | undefined {
  if (!existsSync(path)) return undefined;
  const saved = parsed(textOf(path));
  const isOurVersion = isRecord(saved) && saved['version'] === version;
  const past = isOurVersion ? loadedState(saved) : undefined;
  if (past) return past;
  const aside = `${path}.${host.now()}`;
  renameSync(path, aside);
  const why = isRecord(saved) && !isOurVersion ? 'is of another version' : 'is damaged';
  warn(`the state of the sandbox ${why}, so it starts with a new one; the old one is now ${aside}`);
  return undefined;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const message = `cannot read the state of the sandbox, ${path}: ${reasonOf(error)}`;
    throw configuration('state-unreadable', message, 'move it away to start with a new one', error);
  }
}

function parsed(text: string): unknown {
  try {
    return exactJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
