import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import * as rig from './rig.ts';

const contacts = 'api/public/contacts';
const batch = 'bizmsg send-batch welcome';
/** Enough memory for Node, but not for reading an endless input. */
const limits = 'ulimit -v 3000000 -f 100000 -t 15;';

describe.skipIf(!existsSync('/dev/zero'))('an endless input', () => {
  it.each([
    ['the body of a call', `bizmsg api /${contacts} --input /dev/zero`, 2, '/dev/zero is longer than 32 MB'],
    ['a certificate file', 'bizmsg templates list --ca-file /dev/zero', 3, '--ca-file /dev/zero cannot be read'],
    ['the rows of a batch', `${batch} - < /dev/zero`, 2, '"stdin" is binary data'],
    [
      'a line of a CSV',
      `{ printf "phone\\n"; yes | tr -d "\\n"; } | ${batch} -`,
      2,
      'line 2 of "stdin" is longer than 1 MB',
    ],
    ['excluded phones', `${batch} people.csv --exclude-from /dev/zero`, 3, '/dev/zero is longer than 32 MB'],
  ])('is refused as %s', async (_, line, code, message) => {
    const world = await rig.newWorld();
    rig.writePeople(world, 1);
    const ran = await rig.shell(world, `${limits} ${line}`);
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(world.sandbox.counts().messages).toBe(0);
  });
});

describe.skipIf(!existsSync('/proc/self/fd'))('a named pipe', () => {
  it.each([
    ['the body of a call', ['api', `/${contacts}`, '--input']],
    ['the rows of a batch', ['send-batch', 'welcome']],
  ])('without a writer is abandoned on SIGTERM as %s', async (_, argv) => {
    const world = await rig.newWorld();
    const pipe = join(world.home, 'pipe');
    makePipe(pipe);
    const running = rig.start(world, [...argv, pipe]);
    await expect.poll(() => filesOf(running.pid)).toContain(pipe);
    alive(running.pid, 'SIGTERM');
    expect(await running.ended).toBe(143);
  });

  it.each([
    ['a file that mkfifo made', 'mkfifo pipe; body > pipe & bizmsg api /PATH --input pipe'],
    ['a process substitution', 'bizmsg api /PATH --input <(body)'],
    ['the rows of an import', 'bizmsg contacts import <(body)'],
  ])('is read to its end as %s', async (_, line) => {
    const world = await rig.newWorld();
    const long = `{ printf '{"phone":"+12025550101","name":"'; head -c 200000 /dev/zero | tr '\\0' x; printf '"}'; }`;
    const ran = await rig.shell(world, `body() ${long}; ${line.replace('PATH', contacts)}`);
    expect(ran.code).toBe(0);
    const list = JSON.parse((await world.run(['contacts', 'list', '-o', 'json'])).stdout);
    expect(list).toContainEqual(expect.objectContaining({ name: 'x'.repeat(200_000) }));
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
