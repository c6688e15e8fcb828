import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorIn } from '../support/json-lines.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';
import { some } from '../support/long-tests.ts';

const rows = 40;

const ways: readonly (readonly [string, string, (text: string) => string])[] = [
  ['under another name', 'copy.csv', (text) => text],
  ['with one more row', 'longer.csv', (text) => `${text}${rig.phoneOf(rows + 1)},New\n`],
  ['in reverse order', 'sorted.csv', sorted],
  ['with CRLF', 'windows.csv', (text) => text.replaceAll('\n', '\r\n')],
  ['as NDJSON', 'people.ndjson', ndjson],
  ['from stdin', '-', (text) => text],
];

describe('the same rows', () => {
  it.each(some(ways))('%s complete a killed batch', async (_, file, change) => {
    const place = await rig.newPlace(() => ({ reply: 200, after: 4 }));
    rig.writePeople(place, rows);
    const running = place.start(rig.batch('people.csv', '--concurrency', '4'));
    await rig.untilAsked(place, 15, running);
    await rig.killed(running);
    const ended = await sendOther(place, file, change);
    const summary = rig.summaryIn(ended.stdout);
    expect(summary).toMatchObject({ continues: true, failed: 0, not_reached: 0 });
    expect(rig.countedIn(summary)).toBe(summary['rows']);
    expect(rig.repeated(place.service)).toEqual([]);
    expect(await rig.runs(place)).toHaveLength(1);
  });

  it.each(some(ways))('%s are refused after the batch has finished', async (_, file, change) => {
    const place = await rig.newPlace();
    rig.writePeople(place, rows);
    expect((await place.bin(rig.batch('people.csv'))).code).toBe(0);
    const refused = await sendOther(place, file, change);
    expect([refused.code, errorIn(refused.stderr)['code']]).toEqual([11, 'sent-before']);
    expect(place.service.asked).toHaveLength(rows);
  });
});

it.each([
  ['stdin', () => ['-', '-']],
  ['a file and stdin', () => ['people.csv', '-']],
])('overlapping batches from %s that differ in one row send each row once', async (_, filesOf) => {
  let goOn = () => {};
  const until = new Promise<void>((resolve) => (goOn = resolve));
  const place = await rig.newPlace(() => ({ reply: 200, until }));
  rig.writePeople(place, rows);
  const [first = '', second = ''] = filesOf();
  const words = (file: string) => rig.batch(file, '--concurrency', '4');
  const one = place.start(words(first), rig.peopleText(rows));
  await rig.untilAsked(place, 4, one);
  const changed = rig.peopleText(rows).replace(rig.phoneOf(rows), rig.phoneOf(rows + 1));
  const other = place.start(words(second), changed);
  await expect.poll(other.stderr).toContain('another process is working on run');
  goOn();
  expect([await one.ended, await other.ended]).toEqual([0, 0]);
  const phones = place.service.asked.map(({ phone }) => phone).sort();
  expect(phones).toEqual(Array.from({ length: rows + 1 }, (__, at) => rig.phoneOf(at + 1)));
  expect(await rig.runs(place)).toEqual([expect.objectContaining({ state: 'finished', sent: rows + 1 })]);
  for (const { stdout } of [one, other]) {
    const summary = rig.summaryIn(stdout());
    expect(rig.countedIn(summary)).toBe(rows);
  }
});

function sendOther(place: Place, file: string, change: (text: string) => string) {
  const text = change(rig.peopleText(rows));
  if (file === '-') return place.bin(rig.batch('-'), text);
  writeFileSync(join(place.home, file), text);
  return place.bin(rig.batch(file));
}

function sorted(text: string): string {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  return `${[head, ...lines.toReversed()].join('\n')}\n`;
}

function ndjson(text: string): string {
  const cells = text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  return cells.map(([phone, name]) => `${JSON.stringify({ phone, name })}\n`).join('');
}
