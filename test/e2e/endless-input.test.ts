import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import * as rig from './import-rig.ts';
import { some } from '../support/long-tests.ts';

const contacts = 'api/public/contacts';
/** Enough memory for Node, but not for reading an endless input. */
const limits = 'ulimit -v 3000000 -f 100000 -t 15;';

describe.skipIf(!existsSync('/dev/zero'))('an endless input', () => {
  it.each(
    some([
      ['the body of a call', `bizmsg api /${contacts} --input /dev/zero`, 2, '/dev/zero is longer than 32 MB'],
      ['a contact', 'bizmsg contacts create --input /dev/zero', 2, '/dev/zero is longer than 32 MB'],
      ['a delivery', 'bizmsg webhooks verify --file /dev/zero', 2, '/dev/zero is longer than 32 MB'],
      ['a certificate file', 'bizmsg templates list --ca-file /dev/zero', 3, '--ca-file /dev/zero cannot be read'],
      ['the rows of a batch', 'bizmsg send-batch welcome - < /dev/zero', 2, 'line 1 of stdin is longer than 4 MB'],
      [
        'a line of a CSV',
        '{ printf "phone\\n"; yes | tr -d "\\n"; } | bizmsg send-batch welcome -',
        2,
        'line 2 of stdin is longer than 4 MB',
      ],
    ]),
  )('is refused as %s', async (_, line, code, message) => {
    const world = await rig.newWorld();
    const ran = await rig.shell(world, `${limits} ${line}`);
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(readdirSync(join(world.home, '.local/state/bizmsg')).filter((name) => name.startsWith('.stdin'))).toEqual(
      [],
    );
  });

  it('is not suspected in a long JSON array on one line', async () => {
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

describe.skipIf(!existsSync('/proc/self/fd'))('a named pipe', () => {
  it('without a writer is abandoned on SIGTERM', async () => {
    const world = await rig.newWorld();
    const pipe = join(world.home, 'pipe');
    makePipe(pipe);
    const running = rig.start(world, ['api', `/${contacts}`, '--input', pipe]);
    await expect.poll(() => filesOf(running.pid)).toContain(pipe);
    alive(running.pid, 'SIGTERM');
    expect(await running.ended).toBe(143);
  });

  it.each([
    ['a file that mkfifo made', 'mkfifo pipe; body > pipe & bizmsg api /PATH --input pipe'],
    ['a process substitution', 'bizmsg api /PATH --input <(body)'],
  ])('is read to its end as %s', async (_, line) => {
    const world = await rig.newWorld();
    const long = `{ printf '{"phone":"+12025550101","name":"'; head -c 200000 /dev/zero | tr '\\0' x; printf '"}'; }`;
    const ran = await rig.shell(world, `body() ${long}; ${line.replace('PATH', contacts)}`);
    expect(ran.code).toBe(0);
    const list = JSON.parse((await world.run(['contacts', 'list', '-o', 'json'])).stdout);
    expect(list).toContainEqual(expect.objectContaining({ name: 'x'.repeat(200_000) }));
  });

  it('is refused as the input of a run and as a certificate file', async () => {
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
      // The pipe may be closed already.
      return [];
    }
  });
}
