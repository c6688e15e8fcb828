import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { type CliContext, createContext } from '../../src/cli/context.ts';
import { globals } from '../../src/cli/globals.ts';
import { readInput } from '../../src/cli/params.ts';
import { createReporter } from '../../src/cli/output/reporter.ts';
import { plain } from '../../src/cli/output/ui.ts';
import type { Host } from '../../src/base/host.ts';
import { configFolder } from '../../src/session/folders.ts';
import { changeStore, withLogin } from '../../src/session/profiles/changes.ts';
import { temporaryHome } from '../support/bin.ts';
import { alive, later } from '../support/cli.ts';
import { homeEnv } from '../support/system.ts';

export const key = 'sk_test_0123456789abcdef';

interface Rig {
  readonly context: CliContext;
  readonly notes: string[];
}

interface Settings {
  readonly env: Host['env'];
  readonly home?: string;
  readonly words?: Readonly<Record<string, readonly string[]>>;
  /** Waits end immediately. */
  readonly isHasty?: boolean;
}

export function rig({ env, home = emptyHome(), words = {}, isHasty = false }: Settings): Rig {
  const notes: string[] = [];
  const refuse = () => {
    throw new Error('not needed here');
  };
  const output = { isTTY: false, columns: undefined, write: async () => {} };
  const host: Host = {
    argv: [],
    env: { ...homeEnv(home), ...env },
    stdout: output,
    stderr: output,
    stdinIsTerminal: false,
    streams: { stdin: new PassThrough(), stderr: new PassThrough() },
    home,
    node: process.versions.node,
    pid: process.pid,
    self: [],
    signal: new AbortController().signal,
    handleSignals: refuse,
    now: Date.now,
    steady: () => performance.now(),
    later: isHasty ? (_, run) => later(0, run) : later,
    random: Math.random,
    kill: alive,
    sqlite: loadSqlite,
    spawnDetached: refuse,
    spawnAttached: refuse,
  };
  const stderr = {
    ...output,
    write: async (text: string | Uint8Array) => void notes.push(Buffer.from(text).toString()),
  };
  const reporter = createReporter({ stderr, json: false, color: plain, redact: (text) => text });
  const given = readInput(globals, words);
  const context = createContext({ host, given, reporter, parse: refuse });
  onTestFinished(() => context.close());
  return { context, notes };
}

function emptyHome(): string {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  return home.path;
}

/** A machine with one profile, at an address. */
export async function profiled(
  baseUrl: string,
  plan: 'growth' | 'enterprise',
  rate?: number,
  ownKey = key,
): Promise<Settings> {
  const home = emptyHome();
  const login = { baseUrl, key: ownKey, plan, rate, isUsed: false };
  await changeStore(configFolder({ env: homeEnv(home), home }), (store) => withLogin(store, 'acme', login));
  return { env: {}, home };
}

export const calling = (url: string): Settings => ({ env: { BIZMSG_API_KEY: key, BIZMSG_BASE_URL: url } });
