import { describe, expect, it, vi } from 'vitest';
import type { PostgresServer } from '../support/postgres.ts';
import { openProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import * as rig from './rig.ts';
import type { Machine, Team } from './rig.ts';

// Servers are started, killed and copied.
vi.setConfig({ testTimeout: 300_000 });

const rows = 80;
/** How many rows the record still has after a loss, and how many were sent. */
const [kept, sent] = [40, 70];

interface Place {
  readonly team: Team;
  readonly proxy: TcpProxy;
  readonly machine: Machine;
  /** Takes what is recorded so far aside, to which `lose` returns. */
  remember(): Promise<void>;
  lose(): Promise<void>;
}

type Open = () => Promise<Place>;

/** A replica no longer gets changes, then the primary is killed, and the replica takes over. */
const promoted: Open = async () => {
  const primary = await rig.ownPostgres();
  let replica: PostgresServer | undefined;
  const place = await openPlace(primary);
  return {
    ...place,
    async remember() {
      replica = await rig.ownPostgres(primary);
      const position = primary.sql('SELECT pg_current_wal_lsn()');
      const { sql } = replica;
      await expect.poll(() => sql(`SELECT pg_last_wal_replay_lsn() >= '${position}'`)).toBe('t');
      sql("ALTER SYSTEM SET primary_conninfo = ''");
      sql('SELECT pg_reload_conf()');
      await expect.poll(() => sql('SELECT COUNT(*) FROM pg_stat_wal_receiver')).toBe('0');
    },
    async lose() {
      await primary.kill();
      replica?.sql('SELECT pg_promote()');
      place.proxy.target = replica?.port ?? 0;
      place.proxy.reset();
    },
  };
};

const restored: Open = async () => {
  const server = await rig.ownPostgres();
  const place = await openPlace(server);
  const database = rig.databaseIn(place.team.url);
  let dump = '';
  return {
    ...place,
    async remember() {
      dump = server.dump(database);
    },
    async lose() {
      server.restore(database, dump);
    },
  };
};

/** Only the rows of the tables are replaced. */
const emptied: Open = async () => {
  const place = await openPlace(await rig.ownPostgres());
  const { sql } = place.team;
  const tables = ['meta', 'scope', 'batch', 'excluded', 'item', 'opt_out'];
  return {
    ...place,
    async remember() {
      sql(tables.map((table) => `CREATE TABLE public.${table} AS SELECT * FROM ${table};`).join(''));
    },
    async lose() {
      const restore = (table: string) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM public.${table};`;
      sql(`BEGIN; ${tables.map(restore).join('')} COMMIT`);
    },
  };
};

const losses = { 'a replica that was behind took over': promoted, 'a dump was restored': restored, emptied } as const;

async function openPlace(server: PostgresServer): Promise<Omit<Place, 'remember' | 'lose'>> {
  const team = await rig.newTeam(() => ({ reply: 200 }), server);
  const proxy = await openProxy(server.port);
  const machine = await machineOf({ team, proxy });
  return { team, proxy, machine };
}

async function machineOf({ team, proxy }: Pick<Place, 'team' | 'proxy'>): Promise<Machine> {
  const machine = await team.machine({ url: team.url.replace(String(team.server.port), String(proxy.port)) });
  rig.writePeople(machine, rows);
  return machine;
}

/** Expects a command to send nothing, because the record is older. */
async function expectRefused({ team: { service } }: Place, machine: Machine, words: readonly string[]) {
  const before = service.asked.length;
  const hint: unknown = expect.stringContaining('doctor --accept-loss');
  await rig.expectRefused(machine, words, { code: 'ledger-older', hint });
  expect(service.asked.length).toBe(before);
}

/** After the loss is accepted, the batch ends; only people whom the lost rows reached may get it again. */
async function expectEnd({ team: { service } }: Place, first: Machine, ...others: readonly Machine[]) {
  for (const machine of [first, ...others])
    expect(await machine.run(['doctor', '--accept-loss', '--yes'])).toMatchObject({ code: 0 });
  const ran = await first.bin(rig.batch(first));
  expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: expect.toBeOneOf([0, 10]) });
  const summary = rig.summaryIn(ran.stdout);
  expect(summary).toMatchObject({ rows, waiting: 0, failed: 0 });
  expect(Number(summary['sent']) + Number(summary['unsure'])).toBe(rows);
  const phones = Array.from({ length: rows }, (_, at) => rig.phoneOf(at + 1));
  const asked = new Set(service.asked.map(({ phone }) => phone));
  expect(phones.filter((phone) => !asked.has(phone))).toEqual([]);
  const twice = service.asked.filter(({ before }) => before > 0).map(({ phone }) => phone);
  expect(twice.filter((phone) => phones.indexOf(phone) < kept)).toEqual([]);
}

const all = Object.entries(losses).map(([what, open]) => ({ what, open }));

describe.skipIf(rig.isMissing)('after a loss', () => {
  it.each(all)('every machine refuses to send until it is accepted: $what', async ({ open }) => {
    const place = await open();
    const { machine } = place;
    const other = await machineOf(place);
    await machine.login('practice', 'sk_test_4f9Qm2ZpL8xVt3Hd');
    // With a sandbox key, a batch needs no name.
    const practice = `send-batch welcome ${rig.writePeople(machine, rows)} -p :name --profile practice -o json`;
    expect((await machine.bin(rig.batch(machine, '--first', String(kept)))).code).toBe(0);
    expect((await other.run(['batches', 'list'])).code).toBe(0);
    await place.remember();
    expect((await machine.bin(rig.batch(machine, '--first', String(sent)))).code).toBe(0);
    expect((await machine.run(rig.single(99))).code).toBe(0);
    await place.lose();
    await expectRefused(place, machine, rig.batch(machine));
    await expectRefused(place, machine, rig.resume());
    await expectRefused(place, machine, rig.batch(machine, '--batch', 'other'));
    await expectRefused(place, machine, rig.single(99));
    await expectRefused(place, machine, practice.split(' '));
    if (open !== emptied) {
      // It never saw the lost rows: only the server's identity shows it.
      await expectRefused(place, other, rig.batch(other));
      await expectRefused(place, other, rig.resume());
    }
    expect((await machine.run(['doctor'])).code).toBe(11);
    expect(rig.tally(place.team.service)).toEqual({ 1: sent + 1 });
    await expectEnd(place, machine, other);
  });

  it.each(all)('a process that was killed before is not repeated: $what', async ({ open }) => {
    const place = await open();
    const { machine, team } = place;
    expect((await machine.bin(rig.batch(machine, '--first', String(kept)))).code).toBe(0);
    await place.remember();
    const running = machine.start(rig.batch(machine));
    await Promise.race([team.service.until(sent), running.ended]);
    await rig.kill(team.service, running);
    await place.lose();
    await expectRefused(place, machine, rig.batch(machine));
    await expectRefused(place, machine, rig.resume());
    await expectEnd(place, machine);
  });

  it.each(all)('a running batch stops: $what', async ({ open }) => {
    const place = await open();
    const { machine, team } = place;
    const { service } = team;
    expect((await machine.bin(rig.batch(machine, '--first', String(kept)))).code).toBe(0);
    await place.remember();
    const running = machine.start(rig.batch(machine, '--rate', '1200/m'));
    await Promise.race([service.until(kept + 10), running.ended]);
    await place.lose();
    const code = await running.ended;
    const shown: unknown = expect.stringContaining('ledger-older');
    expect({ code, shown: running.stderr() + running.stdout() }).toMatchObject({ code: 11, shown });
    await expectRefused(place, machine, rig.batch(machine));
    expect(rig.tally(service)).toEqual({ 1: service.asked.length });
    await expectEnd(place, machine);
  });
});
