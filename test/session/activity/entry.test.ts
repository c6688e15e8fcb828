import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { begin, type Facts, newestFirst, type Writer } from '../../../src/session/activity/log.ts';
import { temporaryHome } from '../../support/bin.ts';
import { alive } from '../../support/cli.ts';
import { canLimitFiles, withRoomFor } from '../../support/disk.ts';

const facts: Facts = {
  profile: 'acme',
  mode: 'live',
  simulated: false,
  host: 'api.example.com',
  command: 'send-template',
  method: 'POST',
  endpoint: '/api/public/messages/send-template',
};

let folder: string;
let faults: string[];
let damage: string[];
beforeEach(() => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  folder = join(home.path, 'state/activity');
  [faults, damage] = [[], []];
});

const writer = (pid = process.pid): Writer => ({
  folder,
  hidden: { key: 'sk_live_7Rw1Kc5NbY6uJe0SqMvA' },
  process: { pid, now: Date.now, random: Math.random },
  onFault: (error) => void faults.push(String(error)),
});
const states = () => [...newestFirst(folder, alive, ({ text }) => void damage.push(text))].map(({ state }) => state);
/** A pid that no process has. */
const unusedPid = 2 ** 22 + 1;

describe('a call', () => {
  it('is under way until it ends', () => {
    const entry = begin(writer(), facts);
    expect(states()).toEqual(['under way']);
    entry.end({ outcome: 'done', message_id: 'msg_1' });
    expect(states()).toEqual(['done']);
  });

  it('is unsure if its process died before it ended', () => {
    begin(writer(unusedPid), facts);
    expect(states()).toEqual(['unsure']);
  });

  it('is unsure if another process has its pid now', () => {
    begin(writer(), facts);
    const path = join(folder, '1.ndjson');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"start":"\d+@/, '"start":"1@'));
    expect(states()).toEqual(['unsure']);
  });
});

describe('the files of the log', () => {
  it('rotate at 4 MB, and the oldest one is removed', () => {
    mkdirSync(folder, { recursive: true });
    for (let number = 1; number <= 16; number++) writeFileSync(join(folder, `${number}.ndjson`), '');
    truncateSync(join(folder, '16.ndjson'), 4 * 1024 * 1024);
    begin(writer(), facts).end({ outcome: 'done' });
    const names = readdirSync(folder).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    expect([names.length, names[0], names.at(-1)]).toEqual([16, '2.ndjson', '17.ndjson']);
  });

  it('keep a call and its outcome together when another process starts a file meanwhile', () => {
    const entry = begin(writer(), facts);
    writeFileSync(join(folder, '2.ndjson'), '');
    entry.end({ outcome: 'done' });
    begin(writer(), facts).end({ outcome: 'refused' });
    expect(states()).toEqual(['refused', 'done']);
  });

  it('keep a line after a truncated one', () => {
    begin(writer(), facts).end({ outcome: 'done' });
    appendFileSync(join(folder, '1.ndjson'), '{"type":"int');
    begin(writer(), facts).end({ outcome: 'refused' });
    expect([states(), damage.length]).toEqual([['refused', 'done'], 1]);
  });

  it.runIf(canLimitFiles)('report a full disk, and are complete again when there is room', () => {
    begin(writer(), facts).end({ outcome: 'done' });
    const size = readFileSync(join(folder, '1.ndjson')).length;
    const entry = withRoomFor(size + 20, () => begin(writer(), facts));
    entry.end({ outcome: 'done' });
    begin(writer(), facts).end({ outcome: 'refused' });
    expect([faults.length, states()]).toEqual([1, ['refused', 'done']]);
  });

  it.runIf(canLimitFiles)('leave a call unsure if its ending could not be written', () => {
    const entry = begin(writer(unusedPid), facts);
    const size = readFileSync(join(folder, '1.ndjson')).length;
    withRoomFor(size, () => entry.end({ outcome: 'done' }));
    expect([faults.length, states()]).toEqual([1, ['unsure']]);
  });
});
