import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStateFolder, readRegular, requireOwn } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { redact } from '../base/redact.ts';
import { isRecord } from '../contract/readers.ts';
import { currentCaller, type LocalCaller, type ServiceCaller } from '../session/caller.ts';
import { stateFolder } from '../session/folders.ts';
import type { Session } from '../session/session.ts';

type Machine = Pick<Host, 'env' | 'home'>;

/** Names of batches for completion, which must not load SQLite: the latest first. */
export function batchesSeen(machine: Machine): readonly string[] {
  return linesIn(machine, 'batches.txt');
}

/** Remembers the names of batches, the latest first. */
export function rememberBatches(host: Machine & Pick<Host, 'pid'>, names: readonly string[]): void {
  writeLines(host, 'batches.txt', names);
}

/** Whether the terminal of this process has not shown a note yet; remembers that it has. */
export function isNewNote(host: Machine & Pick<Host, 'pid' | 'parent'>, text: string): boolean {
  const note = `${host.parent} ${text}`;
  const notes = linesIn(host, 'notes.txt');
  if (notes.includes(note)) return false;
  writeLines(host, 'notes.txt', [note, ...notes]);
  return true;
}

/** A template of an earlier list, for completion, suggestions and the text of past messages. */
export interface SeenTemplate extends TemplateText {
  readonly name: string;
  readonly status: string | undefined;
}

export interface TemplateText {
  /** With a placeholder for each variable: {{1}}, {{2}}. */
  readonly text: string | undefined;
  /** The names of its variables, in order. */
  readonly variables: readonly string[] | undefined;
}

type CallerContext = Pick<Session, 'host' | 'given'>;

/** The templates that were listed last for the current caller. */
export function seenTemplates(context: CallerContext): readonly SeenTemplate[] {
  return templatesSeen(context.host, currentCaller(context));
}

type Place = Pick<LocalCaller, 'kind'> | Pick<ServiceCaller, 'kind' | 'baseUrl' | 'mode'>;

const templatesFile = 'templates.txt';
const [mostTemplates, mostLines] = [500, 2_000];

/** Templates of a caller, or of all callers; empty if they cannot be read. */
export function templatesSeen(machine: Pick<Host, 'env' | 'home'>, caller?: Place): readonly SeenTemplate[] {
  return linesIn(machine, templatesFile).flatMap((line) => templateIn(line, caller && placeOf(caller)));
}

/** Another address or mode has other templates. */
function placeOf(caller: Place): string {
  return caller.kind === 'local' ? 'local' : `${caller.baseUrl} ${caller.mode}`;
}

/** The template of a line, if it is of the wanted place. */
function templateIn(line: string, wanted: string | undefined): readonly SeenTemplate[] {
  try {
    const value: unknown = JSON.parse(line);
    const { place, name, status, variables, text } = isRecord(value) ? value : {};
    if (typeof name !== 'string' || (wanted !== undefined && place !== wanted)) return [];
    const names = Array.isArray(variables) ? variables.map(String) : undefined;
    return [{ name, status: textOf(status), variables: names, text: textOf(text) }];
  } catch {
    return [];
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Remembers templates of the current caller. */
export function rememberTemplates(context: CallerContext, templates: readonly SeenTemplate[]): void {
  const { host } = context;
  const caller = currentCaller(context);
  const place = placeOf(caller);
  const secrets = caller.kind === 'local' ? [] : [caller.key];
  const lines = templates.map(({ name, status, variables, text }) =>
    JSON.stringify({ place, name, status, variables, text }),
  );
  const clean = lines.filter((line) => redact(line, secrets) === line).slice(0, mostTemplates);
  const others = linesIn(host, templatesFile).filter((line) => templateIn(line, place).length === 0);
  writeLines(host, templatesFile, [...clean, ...others], mostLines);
}

/** The lines of a file in the state folder; empty if it cannot be read. */
function linesIn(machine: Machine, name: string): readonly string[] {
  try {
    const folder = stateFolder(machine);
    requireOwn(folder);
    return readRegular(join(folder, name)).toString().split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** Keeps the first lines of a file; failures are ignored. */
function writeLines(host: Machine & Pick<Host, 'pid'>, name: string, lines: readonly string[], most = 100): void {
  const kept = [...new Set(lines)].slice(0, most);
  if (kept.join('\n') === linesIn(host, name).join('\n')) return;
  const file = join(stateFolder(host), name);
  const draft = `${file}.${host.pid}`;
  try {
    createStateFolder(stateFolder(host));
    writeFileSync(draft, `${kept.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
}
