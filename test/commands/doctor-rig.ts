import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { isRows, type Row } from '../../src/cli/output/rows.ts';
import { listen } from '../client/servers.ts';
import { selfSigned } from '../support/certificate.ts';
import { cli, type CliOptions } from '../support/cli.ts';
import { objects } from '../support/json-lines.ts';

export interface Examined {
  readonly code: number;
  readonly calls: unknown;
  /** Checks by name. */
  readonly checks: Readonly<Record<string, Row>>;
  /** Names of failed checks and warnings, except that of the Node version, which depends on the machine. */
  readonly wrong: readonly unknown[];
}

/** Runs doctor and parses its JSON report. */
export async function examined(options: CliOptions, ...argv: readonly string[]): Promise<Examined> {
  const { code, stdout } = await cli(['doctor', '-o', 'json', ...argv], options);
  const [report, ...more] = objects(stdout);
  const rows = report?.['checks'];
  if (more.length > 0 || !report || !isRows(rows)) throw new Error(`not one report: ${stdout}`);
  const checks = Object.fromEntries(rows.map((row) => [String(row['name']), row]));
  const wrong = rows.filter(({ name, status }) => name !== 'node' && (status === 'fail' || status === 'warn'));
  return { code, calls: report['calls'], checks, wrong: wrong.map(({ name }) => name) };
}

export interface Stored {
  readonly baseUrl: string;
  readonly key: string;
  readonly plan?: string;
}

/** Stores the profile acme as the one in use. */
export function storeAcme(home: string, { baseUrl, key, plan = 'growth' }: Stored): string {
  const mode = key.startsWith('sk_live_') ? 'live' : 'sandbox';
  const acme = { baseUrl, plan, mode, keys: { [mode]: key } };
  return storeText(home, JSON.stringify({ version: 1, current: 'acme', profiles: { acme } }));
}

/** Writes the profile store; returns its path. */
export function storeText(home: string, text: string): string {
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const path = join(folder, 'profiles.json');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** A service with a self-signed certificate. */
export async function secureService() {
  const identity = selfSigned({ until: new Date(Date.now() + 90 * 86_400_000) });
  const port = await listen(https.createServer(identity, (_, response) => response.end('{"data":[]}')));
  return { ...identity, port };
}
