import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startBin } from '../support/bin.ts';
import type { CliOptions } from '../support/cli.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const people = 'Phone,Country,note\n+12025550141,DE,a=b\n+12025550142,AT,\n+12025550143,de,a=b\nnonsense,AT,\n';
const records = '[{"phone":"+12025550141","at":{"city":"Bonn"}},{"phone":"+12025550142","AT":{"city":"Ulm"},"n":7}]';

function write(text: string, name = text.startsWith('[') ? 'people.json' : 'people.csv'): string {
  const file = join(world.home, name);
  writeFileSync(file, text);
  return file;
}

const sending = (text: string, words: readonly string[], options?: Partial<CliOptions>) =>
  world.run(['send-batch', 'welcome', write(text), ...words, '-o', 'json'], options);
const sent = () => world.sandbox.messages().map(({ to }) => to);

describe('--where', () => {
  it.each<[string, readonly string[], string, readonly string[]]>([
    ['the column as the file spells it', ['Country=DE'], people, ['+12025550141']],
    ['the column in another case', ['country=de'], people, ['+12025550143']],
    ['several conditions', ['country=DE', 'note=a=b'], people, ['+12025550141']],
    ['an empty cell', ['note=', 'phone=+12025550142'], people, ['+12025550142']],
    ['a nested field of a record', ['at.city=Ulm'], records, ['+12025550142']],
    ['a number', ['n=7.0'], records, ['+12025550142']],
  ])('sends only the rows with this value: %s', async (_, conditions, text, expected) => {
    const { code, stdout } = await sending(
      text,
      conditions.flatMap((one) => ['--where', one]),
    );
    const { rows, sent: count, failed, skipped } = JSON.parse(stdout);
    expect([code, sent(), failed]).toEqual([0, expected, 0]);
    expect(skipped.where).toBe(rows - count);
  });

  it('does not take a row that it leaves out for a failed one, and says so in the dry run', async () => {
    const words = ['--where', 'country=DE', '--dry-run'];
    const { code, stdout } = await world.run(['send-batch', 'welcome', write(people), ...words, '-o', 'table']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('3 left out by --where\n')]);
  });

  it.each<[string, string, readonly string[], string]>([
    ['a column that does not exist', people, ['contry=DE'], 'did you mean \\"Country\\"?'],
    ['a field that no record has', records, ['citi=Bonn'], 'no record of the input has it'],
    ['two columns that differ only in case', 'phone,Tag,TAG\n+12025550141,x,y\n', ['tag=x'], 'has no such column'],
    ['a word without a value', people, ['country'], 'such as country=DE'],
  ])('refuses %s', async (_, text, conditions, says) => {
    const { code, stderr } = await sending(
      text,
      conditions.flatMap((one) => ['--where', one]),
    );
    expect([code, stderr, sent()]).toEqual([2, expect.stringContaining(says), []]);
  });

  it('imports only such rows, and lists the others as excluded', async () => {
    const file = write(people);
    const { stdout } = await world.run(['contacts', 'import', file, '--where', 'country=DE', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ sent: 1, failed: 0, skipped: { where: 3 } });
    const shown = await world.run(['runs', 'show', '-o', 'json']);
    expect(JSON.parse(shown.stdout)).toContainEqual(
      expect.objectContaining({ line: 3, reason: 'left out by --where' }),
    );
  });
});

describe('--at', () => {
  const day = 86_400_000;
  const [one, two] = ['phone\n+12025550141\n', 'phone\n+12025550141\n+12025550142\n'];
  /** A clock that begins at a time and goes on. */
  const from = (time: string) => {
    const shift = Date.parse(time) - Date.now();
    return () => Date.now() + shift;
  };

  it.each([
    ['10:00 Europe/Berlin', '2026-12-01T08:59:59.300Z', '2026-12-01 10:00 Europe/Berlin'],
    ['2026-12-01 04:00 America/New_York', '2026-12-01T08:59:59.300Z', '2026-12-01 04:00 America/New_York'],
    ['2026-12-01T14:30+05:30', '2026-12-01T08:59:59.300Z', '2026-12-01 14:30 +05:30'],
    ['09:00Z', '2026-12-01T08:59:59.300Z', '2026-12-01 09:00 UTC'],
  ])('waits for %s, and shows it in its zone', async (at, time, shown) => {
    const now = from(time);
    const { code, stderr } = await sending(one, ['--at', at], { now });
    expect([code, sent(), stderr]).toEqual([0, ['+12025550141'], expect.stringContaining(`sending begins ${shown}`)]);
    expect(now()).toBeGreaterThanOrEqual(Date.parse('2026-12-01T09:00:00Z'));
  });

  it.each([
    ['09:00 UTC', '2026-12-01 09:00 UTC has passed', '2026-12-02 09:00 UTC'],
    ['2026-11-20 09:00 Europe/Berlin', '2026-11-20 09:00 Europe/Berlin has passed', '2026-12-02 09:00 Europe/Berlin'],
  ])('refuses %s once it has passed, and names tomorrow', async (at, says, tomorrow) => {
    const { code, stderr } = await sending(one, ['--at', at], { now: from('2026-12-01T10:00:00Z') });
    expect([code, sent(), stderr]).toEqual([2, [], expect.stringContaining(says)]);
    expect(stderr).toContain(`for tomorrow: --at '${tomorrow}'`);
  });

  it.each([
    ['9', 'such as 09:00'],
    ['24:00', 'is not a time'],
    ['2026-02-30 09:00', 'is not a time'],
    ['09:00 Europe/Berln', 'this machine knows no time zone \\"Europe/Berln\\"'],
  ])('refuses "%s"', async (at, says) => {
    const { code, stderr } = await sending(one, ['--at', at]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });

  it('survives being killed while it waits: the same command goes on later, and only then', async () => {
    const tomorrow = new Date(Date.now() + day).toISOString().slice(0, 10);
    const words = ['send-batch', 'welcome', write(two), '--at', `${tomorrow} 09:00 UTC`, '-o', 'json'];
    const running = startBin(words, { home: world.home, env: world.env });
    await vi.waitFor(() => expect(running.stderr()).toContain('sending begins'), 10_000);
    process.kill(running.pid, 'SIGKILL');
    await running.ended;
    const later = await world.run(words, { now: from(`${tomorrow}T09:30:00Z`) });
    expect([later.code, sent()]).toEqual([0, ['+12025550141', '+12025550142']]);
    expect(JSON.parse(later.stdout)).toMatchObject({ continues: true });
    const again = await world.run(words, { now: from(`${tomorrow}T09:31:00Z`) });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('has passed')]);
  });

  describe('after midnight, with the time of the evening before', () => {
    const words = () => ['send-batch', 'welcome', write(two), '--at', '23:55 UTC', '-o', 'json'];
    const interrupted = async (time: string) => {
      const over = new AbortController();
      const ran = world.run(words(), { now: from(time), signal: over.signal });
      const listed = async () => (await world.run(['runs', 'list', '-o', 'json'])).stdout;
      await expect.poll(listed, { interval: 200 }).not.toBe('[]\n');
      over.abort('SIGINT');
      await ran;
    };

    it('goes on with the run that was interrupted', async () => {
      await interrupted('2026-12-01T20:00:00Z');
      const { code, stdout, stderr } = await world.run(words(), { now: from('2026-12-02T00:10:00Z') });
      expect([code, sent()]).toEqual([0, ['+12025550141', '+12025550142']]);
      expect(stderr).not.toContain('sending begins');
      expect(JSON.parse(stdout)).toMatchObject({ continues: true });
    });

    it.each([
      ['without such a run', '2026-12-02T00:10:00Z'],
      ['once that is nearer', '2026-12-02T12:00:00Z'],
    ])('waits for the next evening %s', async (which, time) => {
      if (which !== 'without such a run') await interrupted('2026-12-01T20:00:00Z');
      const { stderr } = await world.run([...words(), '--dry-run'], { now: from(time) });
      expect(stderr).toContain('sending begins 2026-12-02 23:55 UTC');
    });
  });

  it('refuses to go on before the run was to begin, when its time without a zone means another moment', async () => {
    const file = write(two);
    const first = startBin(['send-batch', 'welcome', file, '--at', '2099-12-01 09:00 UTC'], {
      home: world.home,
      env: world.env,
    });
    await vi.waitFor(() => expect(first.stderr()).toContain('sending begins'), 10_000);
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    const words = ['send-batch', 'welcome', file, '--at', '2099-12-01 09:00 Asia/Tokyo'];
    const { code, stderr } = await world.run(words, { now: from('2099-12-01T00:30:00Z') });
    expect([code, sent(), stderr]).toEqual([2, [], expect.stringContaining('is to begin 2099-12-01 18:00 Asia/Tokyo')]);
  });

  it('sends within the hours that follow it, and tells a dry run', async () => {
    const words = ['--at', '2026-12-05 09:00 UTC', '--hours', 'mon-fri 08:00-10:00 UTC', '--dry-run'];
    const { stderr } = await sending(one, words, { now: from('2026-12-01T10:00:00Z') });
    expect(stderr).toContain('only mon-fri 08:00-10:00 UTC; sending begins 2026-12-07 08:00 UTC');
  });
});
