import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../support/world.ts';
import { openWorld } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const file = () => join(world.home, 'people.csv');
const write = (...phones: readonly string[]) => writeFileSync(file(), ['to', ...phones, ''].join('\n'));
const batch = (...words: readonly string[]) => world.run(['send-batch', 'welcome', file(), ...words, '-o', 'json']);
const sent = () => world.sandbox.messages().map(({ to }) => to);

const [ada, alan, bad, grace] = ['+12025550141', '+12025550142', '(202) 555-0143', '+12025550144'];
const mended = '+12025550143';
const today = () => new Date().toISOString().slice(0, 10);

describe('a batch of which rows were sent before is refused, and sends nothing,', () => {
  it.each([
    ['when a flag is added', [ada, alan, bad], ['--normalise', '--country', 'US'], 'were not'],
    ['when its file was mended in place', [ada, alan, mended], [], 'were not'],
    ['when a row was appended', [ada, alan, mended, grace], [], 'failed'],
    ['when a row came before them', [grace, ada, alan], [], 'were not'],
    ['when it was sorted', [alan, mended, ada], [], 'were not'],
  ])('%s', async (_, phones, words, held) => {
    write(ada, alan, bad);
    const before = JSON.parse((await batch()).stdout);
    write(...phones);
    const { code, stderr, stdout } = await batch(...words);
    expect([code, stdout, sent()]).toEqual([11, '', [ada, alan]]);
    const message = `2 of these ${phones.length} messages were sent by run ${before.run} on ${today()}`;
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'rows-repeated', message },
    });
    expect(stderr).toContain(`people.failed.csv holds those that ${held}`);
    expect(stderr).toContain('--allow-repeat sends all of them once more');
  });

  it('which the dry run says as well', async () => {
    write(ada, alan);
    await batch();
    write(ada, alan, grace);
    const { code, stdout } = await batch('--dry-run');
    const message = expect.stringContaining('2 of these 3 messages were sent by run ');
    expect([code, JSON.parse(stdout)]).toMatchObject([11, { would_send: 0, refused: { message } }]);
  });

  it('unless that is meant', async () => {
    write(ada, alan);
    await batch();
    write(ada, alan, grace);
    const { code } = await batch('--allow-repeat');
    expect([code, sent().length]).toEqual([0, 5]);
  });
});

it('sends the file of those that failed with the flag that their reason names', async () => {
  write(ada, alan, ada);
  const first = JSON.parse((await batch()).stdout);
  expect(first.reasons[0].reason).toContain('the file of those that failed with --allow-same-recipient');
  expect((await batch('--allow-same-recipient')).code).toBe(11);
  const words = ['send-batch', 'welcome', first.failed_file, '--allow-same-recipient'];
  expect([(await world.run(words)).code, sent()]).toEqual([0, [ada, alan, ada]]);
});

it('says of an import that rows were sent before, and goes on', async () => {
  const write = (...phones: readonly string[]) => writeFileSync(file(), ['phone', ...phones, ''].join('\n'));
  write(ada, alan);
  const imported = (...words: readonly string[]) => world.run(['contacts', 'import', file(), ...words, '-o', 'json']);
  const { run } = JSON.parse((await imported()).stdout);
  write(ada, alan, grace);
  const note = `2 of these rows were sent before by run ${run} on ${today()}`;
  expect((await imported('--dry-run', '--resume')).stderr).toContain(note);
  const { code, stdout, stderr } = await imported('--resume');
  expect([code, JSON.parse(stdout), stderr]).toMatchObject([0, { done: 3 }, expect.stringContaining(note)]);
});

describe('a finished run with unsure rows', () => {
  const ways =
    'find out whether they were done; --resume --allow-unsure sends these 2 once more, --allow-repeat sends all 3';

  async function unsure() {
    world.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status: 500 }, times: 2 });
    write(ada, alan, grace);
    return batch('--concurrency', '1');
  }

  it('says what can be done with them at its end', async () => {
    const { code, stderr } = await unsure();
    expect([code, stderr]).toEqual([10, expect.stringContaining(ways)]);
  });

  it.each([
    [[], ways],
    [['--allow-unsure'], `--allow-unsure is for --resume; ${ways}`],
  ])('says so where it is started again with %j', async (words, hint) => {
    await unsure();
    const { code, stderr } = await batch(...words);
    expect([code, stderr]).toEqual([11, expect.stringContaining(hint)]);
  });

  it('sends them once more with both flags', async () => {
    const { stdout } = await unsure();
    expect(readFileSync(JSON.parse(stdout).unsure_file, 'utf8')).toContain(alan);
    const { code } = await batch('--resume', '--allow-unsure');
    expect([code, new Set(sent())]).toEqual([0, new Set([ada, alan, grace])]);
  });
});
