import { join } from 'node:path';
import type { Locator } from '../sandbox/remote/locator.ts';
import { type Check, checksOf } from './check.ts';
import { counted } from './folders.ts';
import { shellPath } from './shell-words.ts';

const { pass, warn } = checksOf('machine');

export function runsCheck(states: readonly string[], old: number): Check {
  const of = (state: string) => states.filter((one) => one === state).length;
  const [unfinished, running] = [of('unfinished'), of('running')];
  if (old > 0) {
    const remedy = 'finish them with that version, then move the folder "runs" of the state folder away';
    return warn('runs', `${counted(old, 'run')} of an earlier version`, remedy);
  }
  if (unfinished > 0) {
    const remedy = 'bizmsg runs list; run the same command again to send the rest, or bizmsg runs close <id>';
    return warn('runs', `${counted(unfinished, 'run')} unfinished`, remedy);
  }
  if (running > 0) return pass('runs', `${counted(running, 'run')} under way`);
  return pass('runs', states.length === 0 ? 'none' : `${counted(states.length, 'run')}, all finished`);
}

export function sandboxCheck(running: readonly Locator[]): Check {
  if (running.length === 0) return pass('sandbox', 'not running; --profile local starts it');
  return pass('sandbox', running.map(({ url, pid }) => `running at ${url}, process ${pid}`).join('; '));
}

/** The files by which processes are found, and how many of them were dead. */
export interface Traces {
  readonly folder: string;
  /** That belong to nobody, and cannot be read. */
  readonly strays: readonly string[];
  readonly dead: number;
}

export function leftoversCheck(traces: readonly Traces[]): Check {
  const strays = traces.flatMap(({ folder, strays }) => strays.map((name) => join(folder, name)));
  const [first] = strays;
  if (first !== undefined) {
    const more = strays.length > 1 ? `, and ${strays.length - 1} more` : '';
    return warn('leftovers', `${first} belongs to nobody${more}`, `rm ${strays.map(shellPath).join(' ')}`);
  }
  const dead = traces.reduce((sum, one) => sum + one.dead, 0);
  if (dead === 0) return pass('leftovers', 'none');
  const one = '1 trace of a dead process; the next command clears it';
  return pass('leftovers', dead === 1 ? one : `${dead} traces of dead processes; the next command clears them`);
}
