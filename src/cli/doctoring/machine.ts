import { join } from 'node:path';
import { listRuns } from '../../bulk/run/runs.ts';
import type { Check } from '../../doctor/check.ts';
import { folderCheck, storeCheck } from '../../doctor/folders.ts';
import type { Traces } from '../../doctor/leftovers.ts';
import { leftoversCheck, runsCheck, sandboxCheck } from '../../doctor/leftovers.ts';
import { nodeCheck } from '../../doctor/node-version.ts';
import { namesIn } from '../../folder.ts';
import type { Host } from '../../host.ts';
import { configFolder, stateFolder } from '../../profiles/folders.ts';
import { readStore } from '../../profiles/store.ts';
import { liveLocators } from '../../sandbox/locator.ts';
import { liveListeners } from '../../webhooks/listener-locator.ts';
import { completionCheck } from './completion.ts';

/** All that can be seen without leaving this machine, but for its clock. */
export function machineChecks(host: Host): readonly Check[] {
  const { env, home, kill, node, now } = host;
  const [config, state] = [configFolder(env, home), stateFolder(env, home)];
  const folders = [
    folderCheck({ name: 'config', path: config, variable: 'BIZMSG_CONFIG_DIR' }),
    folderCheck({ name: 'state', path: state, variable: 'BIZMSG_STATE_DIR' }),
  ];
  const sandboxes = traced(join(state, 'sandboxes'), () => liveLocators(state, kill));
  const listeners = traced(join(state, 'listeners'), () => liveListeners(state, kill));
  return [
    nodeCheck(node, now()),
    ...folders,
    storeCheck(() => readStore(config)),
    completionCheck(host),
    sandboxCheck(sandboxes.live),
    runsCheck(listRuns(state, kill)),
    leftoversCheck([sandboxes.traces, listeners.traces]),
  ];
}

interface Traced<T> {
  readonly live: readonly T[];
  readonly traces: Traces;
}

/** Whoever looks for what lives clears what is dead; what is left then, and is none of them, is a stray. */
function traced<T extends { readonly port: number }>(folder: string, look: () => readonly T[]): Traced<T> {
  const names = () => namesIn(folder).filter((name) => name.endsWith('.json'));
  const before = names();
  const live = look();
  const after = names();
  const strays = after.filter((name) => !live.some(({ port }) => Number.parseInt(name, 10) === port));
  return { live, traces: { folder, strays, cleared: before.filter((name) => !after.includes(name)).length } };
}
