import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import * as rig from './import-rig.ts';

const contacts = 'api/public/contacts';
/** Enough for Node, and too little for what is read or copied without end. */
const limits = 'ulimit -v 3000000 -f 100000 -t 15;';

describe.skipIf(!existsSync('/dev/zero'))('an input that never ends', () => {
  it.each([
    ['as the body of a call', `bizmsg api /${contacts} --input /dev/zero`, 2, '/dev/zero goes on after 32 MB'],
    ['as a contact', 'bizmsg contacts create --input /dev/zero', 2, '/dev/zero goes on after 32 MB'],
    ['as a delivery', 'bizmsg webhooks verify --file /dev/zero', 2, '/dev/zero goes on after 32 MB'],
    ['as certificates', 'bizmsg templates list --ca-file /dev/zero', 3, '--ca-file /dev/zero cannot be read'],
    ['as rows', 'bizmsg send-batch welcome - < /dev/zero', 2, 'line 1 of stdin is longer than 4 MB'],
    [
      'as a line of a CSV',
      '{ printf "phone\\n"; yes | tr -d "\\n"; } | bizmsg send-batch welcome -',
      2,
      'line 2 of stdin is longer than 4 MB',
    ],
  ])('%s is refused', async (_, line, code, says) => {
    const world = await rig.newWorld();
    const ran = await rig.shell(world, `${limits} ${line}`);
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(says) });
    expect(readdirSync(join(world.home, '.local/state/bizmsg')).filter((name) => name.startsWith('.stdin'))).toEqual(
      [],
    );
  });

  it('but a JSON array on one long line is read', async () => {
    const world = await rig.newWorld();
    const rows = Array.from({ length: 80_000 }, (_, at) => ({ phone: rig.phoneOf(at), name: 'x'.repeat(40) }));
    const ran = await world.bin(
      ['contacts', 'import', '-', '--dry-run', '-o', 'json'],
      world.env,
      JSON.stringify(rows),
    );
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 80_000, bad: 0 });
  });
});

describe.skipIf(!existsSync('/proc/self/fd'))('a named pipe as a file', () => {
  it('that nobody writes to is given up at SIGTERM', async () => {
    const world = await rig.newWorld();
    const pipe = join(world.home, 'pipe');
    makePipe(pipe);
    const running = rig.start(world, ['api', `/${contacts}`, '--input', pipe]);
    await expect.poll(() => filesOf(running.pid), { timeout: 10_000 }).toContain(pipe);
    alive(running.pid, 'SIGTERM');
    expect(await running.ended).toBe(143);
  });

  it.each([
    ['with a name', 'mkfifo pipe; body > pipe & bizmsg api /PATH --input pipe'],
    ['made by a shell', 'bizmsg api /PATH --input <(body)'],
  ])('%s is read to its end', async (_, line) => {
    const world = await rig.newWorld();
    const long = `{ printf '{"phone":"+12025550101","name":"'; head -c 200000 /dev/zero | tr '\\0' x; printf '"}'; }`;
    const ran = await rig.shell(world, `body() ${long}; ${line.replace('PATH', contacts)}`);
    expect(ran.code).toBe(0);
    const list = JSON.parse((await world.bin(['contacts', 'list', '-o', 'json'])).stdout);
    expect(list).toContainEqual(expect.objectContaining({ name: 'x'.repeat(200_000) }));
  });

  it('is neither an input of a run nor a file of certificates', async () => {
    const world = await rig.newWorld();
    makePipe(join(world.home, 'pipe'));
    const batch = await rig.shell(world, 'bizmsg send-batch welcome pipe');
    const list = await rig.shell(world, 'bizmsg templates list --ca-file pipe');
    expect([batch.code, list.code]).toEqual([2, 3]);
  });
});

function filesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    try {
      return [readlinkSync(join(folder, fd))];
    } catch {
      // It was closed since.
      return [];
    }
  });
}
