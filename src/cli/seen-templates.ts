import type { Host } from '../base/host.ts';
import { redact } from '../base/redact.ts';
import { isRecord } from '../contract/readers.ts';
import { currentCaller, type LocalCaller, type ServiceCaller } from '../session/caller.ts';
import type { Session } from '../session/session.ts';
import { linesIn, writeLines } from './seen.ts';

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

type Machine = Pick<Session, 'host' | 'given'>;

/** The templates that were listed last for the current caller. */
export function seenTemplates(context: Machine): readonly SeenTemplate[] {
  return templatesSeen(context.host, currentCaller(context));
}

type Place = Pick<LocalCaller, 'kind'> | Pick<ServiceCaller, 'kind' | 'baseUrl' | 'mode'>;

const file = 'templates.txt';
const [mostTemplates, mostLines] = [500, 2_000];

/** Templates of a caller, or of all callers; empty if they cannot be read. */
export function templatesSeen(machine: Pick<Host, 'env' | 'home'>, caller?: Place): readonly SeenTemplate[] {
  return linesIn(machine, file).flatMap((line) => templateIn(line, caller && placeOf(caller)));
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
export function rememberTemplates({ host, given }: Machine, templates: readonly SeenTemplate[]): void {
  const caller = currentCaller({ host, given });
  const place = placeOf(caller);
  const secrets = caller.kind === 'local' ? [] : [caller.key];
  const lines = templates.map(({ name, status, variables, text }) =>
    JSON.stringify({ place, name, status, variables, text }),
  );
  const clean = lines.filter((line) => redact(line, secrets) === line).slice(0, mostTemplates);
  const others = linesIn(host, file).filter((line) => templateIn(line, place).length === 0);
  writeLines(host, file, [...clean, ...others], mostLines);
}
