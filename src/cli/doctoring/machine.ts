import { join } from 'node:path';
import { type Check, checksOf } from '../../doctor/check.ts';
import { folderCheck, storeCheck } from '../../doctor/folders.ts';
import { leftoversCheck, runsCheck, sandboxCheck, type Traces } from '../../doctor/leftovers.ts';
import { liveGuardCheck } from '../../doctor/live-guard.ts';
import { nodeCheck } from '../../doctor/node-version.ts';
import { CliError } from '../../base/errors.ts';
import { namesIn } from '../../base/files.ts';
import type { Host } from '../../base/host.ts';
import { configFolder, stateFolder } from '../../session/profiles/environment.ts';
import { checkLedger } from '../../ledger/file/check.ts';
import { ledgerFolder, runsOf } from '../../runs/listing.ts';
import { readStore } from '../../session/profiles/store.ts';
import { locatorsIn } from '../../sandbox/remote/locator.ts';
import { listenersIn } from '../../webhooks/listeners.ts';
import { oldRuns } from '../old-runs.ts';
import { completionCheck } from './completion.ts';

const { failed } = checksOf('machine');

/** All that can be seen without leaving this machine, but for its clock. */
export function machineChecks(host: Host): readonly Check[] {
  const { env, home, kill, node, now } = host;
  const [config, state] = [configFolder(env, home), stateFolder(env, home)];
  const folders = [
    folderCheck({ name: 'config', path: config, variable: 'BIZMSG_CONFIG_DIR' }),
    folderCheck({ name: 'state', path: state, variable: 'BIZMSG_STATE_DIR' }),
  ];
  const sandboxes = traced(join(state, 'sandboxes'), () => locatorsIn(state, kill));
  const listeners = traced(join(state, 'listeners'), () => listenersIn(state, kill));
  const ledger = ledgerFolder(state);
  return [
    nodeCheck(node, now()),
    ...folders,
    storeCheck(() => readStore(config)),
    completionCheck(host),
    sandboxes.refusal ? failed('sandbox', sandboxes.refusal) : sandboxCheck(sandboxes.live),
    ...(listeners.refusal ? [failed('listeners', listeners.refusal)] : []),
    ...runsChecks(state, host),
    liveGuardCheck({ folder: ledger, check: () => checkLedger(ledger) }),
    leftoversCheck([sandboxes.traces, listeners.traces]),
  ];
}

function runsChecks(state: string, host: Host): readonly Check[] {
  const runs = attempt(() => runsOf(state, host));
  if (runs instanceof CliError) return [failed('runs', runs)];
  return [
    runsCheck(
      runs.map(({ status }) => status),
      oldRuns(state).length,
    ),
  ];
}

interface Seen<T> {
  readonly live: readonly T[];
  readonly dead: readonly T[];
}

interface Traced<T> {
  readonly live: readonly T[];
  readonly traces: Traces;
  /** Why the folder is not to be trusted. */
  readonly refusal?: CliError | undefined;
}

/** What belongs to nobody that lives, or that is known to be dead, is a stray. */
function traced<T extends { readonly port: number }>(folder: string, look: () => Seen<T>): Traced<T> {
  const found = attempt(look);
  if (found instanceof CliError) return { live: [], traces: { folder, strays: [], dead: 0 }, refusal: found };
  const { live, dead } = found;
  const ports = new Set([...live, ...dead].map(({ port }) => port));
  const names = namesIn(folder).filter((name) => name.endsWith('.json'));
  const strays = names.filter((name) => !ports.has(Number.parseInt(name, 10)));
  return { live, traces: { folder, strays, dead: dead.length } };
}

function attempt<T>(look: () => T): T | CliError {
  try {
    return look();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}
