import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { phoneOf } from '../e2e/runs-rig.ts';
import { selfSigned } from '../support/certificate.ts';
import { errorIn } from '../support/json-lines.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../ledger/rig.ts';
import { type Machine, missingPostgres, newTeam, type Team } from './rig.ts';

const single = ['send-template', phoneOf(1), 'welcome', '-p', 'Ada', '--yes', '-o', 'json'];
const until = new Date(Date.now() + 86_400_000);
const made = {
  own: selfSigned({ until }),
  other: selfSigned({ until }),
  old: selfSigned({ until: new Date(86_400_000) }),
};

const access = `local all all trust
host all postgres 127.0.0.1/32 trust
hostssl all bizmsg 127.0.0.1/32 scram-sha-256
host all plain 127.0.0.1/32 scram-sha-256
`;

let shared: Promise<PostgresServer> | undefined;

/** A server with a password, and a certificate that no authority of this machine has signed. */
function server(): Promise<PostgresServer> {
  return (shared ??= startPostgres({ access, tls: made.own }).then((started) => {
    started.sql(`CREATE ROLE bizmsg LOGIN PASSWORD 'p@ss'; CREATE ROLE plain LOGIN PASSWORD 'p@ss'`);
    return started;
  }));
}

const grants = `GRANT USAGE ON SCHEMA bizmsg TO bizmsg, plain;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bizmsg TO bizmsg, plain`;

function certificate({ cert }: { readonly cert: string }): string {
  const file = join(temporaryFolder(), 'ca.pem');
  writeFileSync(file, cert);
  return encodeURIComponent(file);
}

/** A team that is reached as this role, and with these parameters. */
async function reached(user: string, parameters: string): Promise<{ team: Team; machine: Machine }> {
  const team = await newTeam(undefined, await server());
  team.sql(grants);
  const line = team.line.replace('postgres@', `${user}@`).replace('#', `${parameters}#`);
  return { team, machine: team.machine({ line }) };
}

describe.skipIf(missingPostgres !== undefined)('a team whose server has a password and a certificate', () => {
  it.each([
    ['?sslmode=require', 0, undefined],
    ['?sslmode=prefer', 0, undefined],
    ['?sslmode=disable', 3, 'team-refused'],
    ['', 3, 'team-refused'],
    ['?sslmode=verify-full', 9, 'tls'],
    ['?sslmode=verify-ca', 9, 'tls'],
    ['?sslmode=verify-full&sslrootcert={own}', 0, undefined],
    ['?sslrootcert={own}', 0, undefined],
    [`?sslmode=verify-ca&sslrootcert={own}`, 0, undefined],
    [`?sslmode=require&sslrootcert={other}`, 9, 'tls'],
    [`?sslmode=verify-full&sslrootcert={other}`, 9, 'tls'],
    [`?sslmode=verify-full&sslrootcert={old}`, 9, 'tls'],
    ['?sslmode=verify-full&sslrootcert=/missing', 3, 'ca-file'],
    ['?sslmode=verify-full&sslrootcert=system', 9, 'tls'],
    ['?sslmode=sometimes', 3, 'bad-variable'],
    ['?channel_binding=require', 3, 'bad-variable'],
    ['?passfile=x', 3, 'bad-variable'],
  ])('is used or refused as %s says', async (parameters, code, error) => {
    const given = parameters.replace(/\{(own|other|old)\}/, (_, name: keyof typeof made) => certificate(made[name]));
    const { team, machine } = await reached('bizmsg:p%40ss', given);
    const ran = await machine.bin(single);
    expect([ran.code, code === 0 ? undefined : errorIn(ran.stderr)['code']]).toEqual([code, error]);
    expect(team.service.asked).toHaveLength(code === 0 ? 1 : 0);
    expect(ran.stderr).not.toMatch(/p@ss|p%40ss/);
  });

  it('is not verified less because of NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    const { machine } = await reached('bizmsg:p%40ss', '?sslmode=verify-full');
    const ended = machine.start(single, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect([await ended.ended, ended.stderr()]).toEqual([9, expect.stringContaining('is not accepted')]);
  });

  it('is refused with a wrong password, which is not printed', async () => {
    const { machine } = await reached('plain:geheim', '?sslmode=disable');
    const { code, stderr } = await machine.bin(single);
    expect([code, errorIn(stderr)]).toMatchObject([3, { code: 'team-refused' }]);
    expect(stderr).not.toContain('geheim');
  });

  it('ignores the variables of other clients', async () => {
    const { team, machine } = await reached('plain:p%40ss', '?sslmode=disable');
    const variables = {
      DEBUG: '*',
      PGHOST: 'elsewhere.example',
      PGPORT: '1',
      PGUSER: 'root',
      PGPASSWORD: 'geheim',
      PGDATABASE: 'elsewhere',
      PGOPTIONS: '-c search_path=elsewhere',
      PGSSLMODE: 'verify-full',
      PGTARGETSESSIONATTRS: 'standby',
      PGAPPNAME: 'elsewhere',
      PGMAX: '7',
    };
    const ended = machine.start(single, variables);
    expect([await ended.ended, team.service.asked.length]).toEqual([0, 1]);
    expect(ended.stderr()).not.toMatch(/geheim|p@ss|p%40ss|SELECT/);
  });

  it('does not get a password from a variable', async () => {
    const { machine } = await reached('plain', '?sslmode=disable');
    const ended = machine.start(single, { PGPASSWORD: 'p@ss' });
    expect([await ended.ended, ended.stderr()]).toEqual([3, expect.stringContaining('refuses the password')]);
  });

  it('names the grants that a role lacks', async () => {
    const team = await newTeam(undefined, await server());
    const line = team.line.replace('postgres@', 'plain:p%40ss@');
    const { code, stderr } = await team.machine({ line }).bin(single);
    expect([code, errorIn(stderr)]).toMatchObject([3, { hint: expect.stringContaining('grants') }]);
  });
});
