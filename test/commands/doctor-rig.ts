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
  /** By name. */
  readonly checks: Readonly<Record<string, Row>>;
  /** Of those that failed or warn, what of this test's own making does: the version of Node is the machine's. */
  readonly wrong: readonly unknown[];
}

/** What `doctor` finds out: its one JSON document, read. */
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

/** A home whose profile in use is acme. */
export function storeAcme(home: string, { baseUrl, key, plan = 'growth' }: Stored): string {
  const mode = key.startsWith('sk_live_') ? 'live' : 'sandbox';
  const acme = { baseUrl, plan, mode, keys: { [mode]: key } };
  return storeText(home, JSON.stringify({ version: 1, current: 'acme', profiles: { acme } }));
}

/** The path of a store that holds just this. */
export function storeText(home: string, text: string): string {
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const path = join(folder, 'profiles.json');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** A service with a certificate that it signed itself. */
export async function secureService() {
  const identity = selfSigned({ until: new Date(Date.now() + 90 * 86_400_000) });
  const port = await listen(https.createServer(identity, (_, response) => response.end('{"data":[]}')));
  return { ...identity, port };
}
