import { join } from 'node:path';
import { CliError } from '../base/errors.ts';
import { counted } from '../cli/output/figures.ts';
import type { Found } from '../base/announced.ts';
import type { Host } from '../base/host.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { moveCommand } from '../base/system.ts';
import { checkLedger } from '../ledger/check.ts';
import { logsProblem } from '../logs/database.ts';
import { runsOf } from '../runs/listing.ts';
import { type Locator, locatorsIn } from '../sandbox/remote/locator.ts';
import { configFolder, stateFolder } from '../session/profiles/environment.ts';
import { readStore } from '../session/profiles/store.ts';
import { listenersIn } from '../webhooks/listeners.ts';
import { type Check, checksOf, foreseen } from './check.ts';
import type { ServiceTime } from './service.ts';
import { folderCheck, liveGuardCheck, storeCheck } from './folders.ts';

const { pass, warn, skip, failed } = checksOf('machine');

/** Checks that need no network. The clock needs an answer of the service. */
export async function machineChecks(host: Host): Promise<readonly Check[]> {
  const { env, home, kill, node, now } = host;
  const [config, state] = [configFolder(env, home), stateFolder(env, home)];
  const folders = [
    folderCheck({ name: 'config', path: config, variable: 'BIZMSG_CONFIG_DIR' }),
    folderCheck({ name: 'state', path: state, variable: 'BIZMSG_STATE_DIR' }),
  ];
  const sandboxes = attempt(() => locatorsIn(state, kill));
  const listeners = attempt(() => listenersIn(state, kill));
  return [
    nodeCheck(node, now()),
    ...folders,
    storeCheck(() => readStore(config)),
    sandboxes instanceof CliError ? failed('sandbox', sandboxes) : sandboxCheck(sandboxes.live),
    ...(listeners instanceof CliError ? [failed('listeners', listeners)] : []),
    ...(await runsChecks(state, host)),
    await liveGuardCheck({ folder: state, check: () => checkLedger({ stateFolder: state, host }) }),
    await logsCheck(state, host),
    backupCheck(config, state),
    leftoversCheck([sandboxes, listeners].flatMap((found) => (found instanceof CliError ? [] : [found]))),
  ];
}

async function runsChecks(stateFolder: string, host: Host): Promise<readonly Check[]> {
  try {
    const runs = await runsOf({ stateFolder, host, note: () => {} });
    return [runsCheck(runs.map(({ status }) => status))];
  } catch (error) {
    return [failed('runs', foreseen(error))];
  }
}

async function logsCheck(state: string, host: Host): Promise<Check> {
  const path = join(state, 'logs.db');
  const remedy = `${moveCommand} ${shellQuote(path)} ${shellQuote(`${path}.away`)}: the received events start again`;
  try {
    const problem = await logsProblem(state, host);
    return problem === undefined ? pass('logs', 'no damage') : warn('logs', `${path} is damaged: ${problem}`, remedy);
  } catch (error) {
    return warn('logs', foreseen(error).message, remedy);
  }
}

function backupCheck(config: string, state: string): Check {
  const files = `${config} (with the keys) and ${state}`;
  return pass('backup', `copy ${files} while no command runs; ledger.db needs its ledger.secret`);
}

function attempt<T>(look: () => T): T | CliError {
  try {
    return look();
  } catch (error) {
    return foreseen(error);
  }
}

/** The same as in package.json. */
export const engines = '^20.19.0 || ^22.13.0 || >=24';

/** End of life of each Node release line. */
const ends: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

export function nodeCheck(version: string, now: number): Check {
  const remedy = 'install a newer one: https://nodejs.org/en/download';
  if (!isIn(engines, version)) return warn('node', `${version}, and bizmsg is made for ${engines}`, remedy);
  const end = ends[partsOf(version)[0] ?? 0];
  const isOver = end !== undefined && now >= Date.parse(end);
  return isOver ? warn('node', `${version}, past its end of life on ${end}`, remedy) : pass('node', version);
}

function isIn(range: string, version: string): boolean {
  return range.split(' || ').some((one) => {
    const least = partsOf(one.replace(/^\D+/, ''));
    const isLine = !one.startsWith('^') || least[0] === partsOf(version)[0];
    return isLine && !isBefore(partsOf(version), least);
  });
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = other.findIndex((part, place) => part !== (one[place] ?? 0));
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}

function partsOf(version: string): readonly number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10));
}

export function runsCheck(states: readonly string[]): Check {
  const of = (state: string) => states.filter((one) => one === state).length;
  const [unfinished, running] = [of('unfinished'), of('running')];
  if (unfinished > 0) {
    const remedy = 'bizmsg runs list; run the same command again to send the rest, or bizmsg runs close <id>';
    return warn('runs', `${counted(unfinished, 'run')} unfinished`, remedy);
  }
  if (running > 0) return pass('runs', `${counted(running, 'run')} under way`);
  return pass('runs', states.length === 0 ? 'none' : `${counted(states.length, 'run')}, all finished`);
}

function sandboxCheck(running: readonly Locator[]): Check {
  if (running.length === 0) return pass('sandbox', 'not running; --profile local starts it');
  return pass('sandbox', running.map(({ url, pid }) => `running at ${url}, process ${pid}`).join('; '));
}

type Traces = Pick<Found<unknown>, 'dead' | 'strays'>;

export function leftoversCheck(traces: readonly Traces[]): Check {
  const strays = traces.flatMap(({ strays }) => strays);
  const [first] = strays;
  if (first !== undefined) {
    const more = strays.length > 1 ? `, and ${strays.length - 1} more` : '';
    return warn('leftovers', `${first} belongs to no process${more}`, `rm ${strays.map(shellQuote).join(' ')}`);
  }
  const { length } = traces.flatMap(({ dead }) => dead);
  if (length === 0) return pass('leftovers', 'none');
  const one = '1 trace of a dead process; the next command clears it';
  return pass('leftovers', length === 1 ? one : `${length} traces of dead processes; the next command clears them`);
}

/** Milliseconds. Receivers usually accept signatures up to five minutes old. */
const tolerance = 5_000;

export function clockCheck(time: ServiceTime | undefined): Check {
  if (!time) return skip('clock', 'no answer to compare it with');
  const date = Date.parse(time.date ?? '');
  if (Number.isNaN(date)) return skip('clock', 'the service sends no time');
  // The header is in whole seconds.
  const [ahead, behind] = [time.sentAt - (date + 1_000), date - time.receivedAt];
  const apart = Math.max(ahead, behind);
  if (apart <= tolerance) return pass('clock', "agrees with the service's");
  const how = `${Math.round(apart / 1_000)} s ${ahead > behind ? 'ahead of' : 'behind'} the service's`;
  const remedy = 'synchronize the clock (timedatectl set-ntp true): webhook signatures depend on it';
  return warn('clock', how, remedy);
}
