import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryHome } from '../support/bin.ts';
import { blocksIn, stepsIn } from '../support/docs.ts';
import { installIn } from '../support/install.ts';
import { abridged } from '../support/output-shape.ts';
import { missingPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { envOf, openService } from '../support/service.ts';

const password = 'a long password';
const access = 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n';

it.skipIf(missingPostgres !== undefined)('the page about teams does what it says', async () => {
  const server = await startPostgres({ access });
  const service = await openService();
  const { path: home, remove } = temporaryHome();
  onTestFinished(async () => {
    await server.kill();
    service.close();
    remove();
  });
  const [created = '', init = '', granted = ''] = blocksIn('docs/team.md', 'Set up the database', 3);
  const [joined = ''] = blocksIn('docs/team.md', 'Join the team', 1);
  const [sent = ''] = blocksIn('docs/team.md', 'Send together', 1);
  writeFileSync(join(home, 'password.txt'), password);
  writeFileSync(join(home, 'people.csv'), 'phone,name\n+12025550101,Ada\n+12025550102,Ben\n+12025550103,Cleo\n');
  const { BIZMSG_API_KEY: key = '', BIZMSG_BASE_URL: url = '' } = envOf(service);
  writeFileSync(join(home, 'key.txt'), key);
  const run = (command: string) => shell(command, { home, server });
  await run(
    `bizmsg login --no-check --profile acme --base-url ${url} --key-stdin < key.txt && bizmsg keys switch-mode live --yes`,
  );
  server.sql(created);
  for (const block of [init, joined, sent]) {
    for (const { command, shown } of stepsIn(block)) {
      const { code, printed } = await run(command);
      expect([command, code]).toEqual([command, 0]);
      expect(printed).toMatch(shown === '' ? /^/ : abridged(shown));
    }
    if (block === init) server.sql(granted, 'bizmsg');
  }
  expect(service.asked).toHaveLength(3);
});

interface Given {
  readonly home: string;
  readonly server: PostgresServer;
}

/** Runs a command of the page, with the server of the test in the place of the one in the page. */
function shell(command: string, { home, server: { port } }: Given): Promise<{ code: number; printed: string }> {
  const here = `127.0.0.1:${port}`;
  const env = { HOME: home, PATH: installIn(home) };
  return new Promise((resolve) => {
    execFile('bash', ['-c', command.replaceAll('db.example.com', here)], { cwd: home, env }, (error, stdout) => {
      const printed = stdout
        .replaceAll(`@${here}`, '@db.example.com')
        .replaceAll(here, 'db.example.com:5432')
        .replaceAll(/^(version|latency ms|clock): .*/gm, '$1: …');
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, printed });
    });
  });
}
