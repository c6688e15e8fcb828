import { expect, it } from 'vitest';
import { isLong } from '../support/long-tests.ts';
import * as rig from './rig.ts';

const rows = 40;

const rounds = Array.from({ length: isLong ? 8 : 1 }, (_, at) => at + 1);

it.each(rounds)('batches that start together send each person one message (round %i)', async () => {
  const place = await rig.newPlace(() => ({ reply: 200, after: 5 }));
  rig.writePeople(place, rows);
  const names = ['north', 'south', 'west'];
  const running = names.map((name) => place.start(rig.batch('people.csv', '--batch', name)));
  const codes = await Promise.all(running.map(({ ended }) => ended));
  expect(codes.filter((code) => code !== 0 && code !== 10)).toEqual([]);
  expect(new Set(place.service.asked.map(({ phone }) => phone)).size).toBe(rows);
  expect(rig.repeated(place.service)).toEqual([]);
  // Rows that others had then are sent now.
  const again = await place.bin(rig.batch('people.csv', '--batch', 'south'));
  expect(rig.summaryIn(again.stdout)).toMatchObject({ sent: rows, now: { sent: 0 }, not_sent: 0 });
});
