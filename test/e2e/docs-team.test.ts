import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryHome } from '../support/bin.ts';
import { blocksIn, stepsIn } from '../support/docs.ts';
import { missingPostgres, startPostgres } from '../support/postgres.ts';
import { envOf, openService } from '../support/service.ts';
import { sh, withoutTimes } from './docs-rig.ts';

const password = 'a long password';
const access = 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n';

describe.skipIf(missingPostgres !== undefined)(`the page about teams (${missingPostgres ?? 'on PostgreSQL'})`, () => {
  it('does what it says', async () => {
    const server = await startPostgres({ access });
    const service = await openService();
    const { path: home, remove } = temporaryHome();
    onTestFinished(async () => {
      await server.kill();
      service.close();
      remove();
    });
    const [created = '', joined = ''] = blocksIn('docs/team.md', 'Set up the database', 2);
    const [sent = ''] = blocksIn('docs/team.md', 'Send together', 1);
    writeFileSync(join(home, 'people.csv'), 'phone,name\n+12025550101,Ada\n+12025550102,Ben\n+12025550103,Cleo\n');
    const { BIZMSG_API_KEY: key = '', BIZMSG_BASE_URL: url = '' } = envOf(service);
    writeFileSync(join(home, 'key.txt'), key);
    const here = `127.0.0.1:${server.port}`;
    writeFileSync(join(home, 'team-url.txt'), `postgres://bizmsg:${encodeURIComponent(password)}@${here}/bizmsg`);
    const run = (command: string) => sh(command, home);
    await run(
      `bizmsg login --no-check --profile acme --base-url ${url} --key-stdin < key.txt && bizmsg keys switch-mode live --yes`,
    );
    server.sql(created);
    for (const { command, shown } of [...stepsIn(joined), ...stepsIn(sent)]) {
      const { code, stdout } = await run(command);
      expect([command, code]).toEqual([command, 0]);
      const account = url.replace('127.0.0.1', 'localhost');
      const told = stdout.replaceAll(here, 'db.example.com:5432').replaceAll(account, 'https://api.example.com');
      expect(withoutTimes(told)).toBe(withoutTimes(shown).trimEnd());
    }
    expect(service.asked).toHaveLength(3);
    expect(await run('bizmsg team leave --profile acme --yes')).toMatchObject({ code: 0 });
  });
});
