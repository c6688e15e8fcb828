import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { blocksIn, stepsIn } from '../support/docs.ts';
import { newHome, sandboxHome } from '../support/fake-service.ts';
import { objects } from '../support/json-lines.ts';
import { posixOnly } from '../support/system.ts';
import { openTerminal } from '../support/terminal.ts';
import { openReader, sh, withoutTimes } from './docs-rig.ts';

posixOnly('they run a POSIX shell');

const [practice = ''] = blocksIn('docs/batches.md', 'Send to many people', 1);
const [people = '', sent = '', corrected = ''] = blocksIn('docs/batches.md', 'Send', 3);
const [stopped = ''] = blocksIn('docs/batches.md', 'Go on after an interruption', 1);
const [late = '', reminded = ''] = blocksIn('docs/batches.md', 'Late people, corrected texts, reminders', 2);
const [jobs = ''] = blocksIn('docs/batches.md', 'Every day, week or hour', 1);
const [unsure = ''] = blocksIn('docs/batches.md', 'Messages that may have been sent', 1);
const [imported = ''] = blocksIn('docs/batches.md', 'Import contacts', 1);

const live = { BIZMSG_PROFILE: 'local', BIZMSG_MODE: 'live' };

describe('the page about batches', () => {
  it('sends, corrects, adds people, reminds, marks and imports', async () => {
    const home = newHome();
    writeFileSync(join(home, 'people.csv'), people);
    const { enter, follow } = openReader({ home, local: withoutTimes });
    for (const line of practice.trim().split('\n')) expect((await enter(line)).code).toBe(0);
    const [reported = '', fixed = ''] = corrected.split(/^(?=\$ bizmsg send-batch)/m);
    expect(await follow(sent, { ...yes(sent), exit: 10 })).toEqual([]);
    expect(await follow(reported)).toEqual([]);
    const fix = join(home, 'fix.csv');
    writeFileSync(fix, readFileSync(fix, 'utf8').replace('+1202555,', '+12025550148,'));
    expect(await follow(fixed, yes(fixed))).toEqual([]);
    for (const block of [late, reminded, unsure]) expect(await follow(block)).toEqual([]);
    expect(await follow(imported, yes(imported))).toEqual([]);
    expect((await enter('bizmsg batches list -o id')).printed.split('\n')).toHaveLength(4);
  });

  it('is interrupted, and sends the rest without the file', async () => {
    const home = await liveHome();
    const terminal = openTerminal({ home, columns: 200, env: live });
    const [made, send, resume] = stepsIn(stopped).map(({ command }) => command);
    await terminal.enter(`cd; ${made}`);
    await terminal.enter(send ?? '');
    await terminal.until(/ \d+ of 400/);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.screen()).toMatch(/: \d+ sent, \d+ waiting\. Nobody gets it twice\./);
    await terminal.enter(resume ?? '');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen()).toMatch(/ 400 sent +\d+ now/);
  });

  it('has jobs for cron that send to new people only', async () => {
    const home = await liveHome();
    writeFileSync(join(home, 'today.csv'), 'phone,name,time\n+12025550111,Grace,9:00\n');
    for (const file of ['people.csv', 'all.csv']) writeFileSync(join(home, file), 'phone\n+12025550111\n');
    const lines = jobs.split('\n').flatMap((line) => /^(?:[\d*]+ ){5}(.*)$/.exec(line)?.[1] ?? []);
    expect(lines).toHaveLength(3);
    expect(jobs).not.toContain('%');
    for (const line of lines) await cron(home, line);
    appendFileSync(join(home, 'all.csv'), '+12025550112\n');
    for (const line of lines) await cron(home, line);
    const { stdout } = await bin(['sandbox', 'log', '--type', 'messages', '-o', 'json'], { home });
    const messages: readonly { readonly to: string; readonly template: string }[] = JSON.parse(stdout);
    expect(messages.map(({ to, template }) => `${template} ${to}`).toSorted()).toEqual([
      'appointment_reminder +12025550111',
      'welcome +12025550111',
      'welcome +12025550112',
    ]);
    const log = objects(readFileSync(join(home, 'newcomers.log'), 'utf8'));
    expect(log.filter(({ type }) => type === 'summary')).toMatchObject([{ sent: 1 }, { sent: 2, now: { sent: 1 } }]);
  });
});

/** A home whose sandbox has live keys. */
async function liveHome(): Promise<string> {
  const home = sandboxHome();
  await bin(['sandbox', 'set', 'live=on'], { home });
  return home;
}

async function cron(home: string, line: string): Promise<void> {
  const { code, stderr } = await sh(line, home, live);
  expect([code === 0 || code === 10, stderr]).toEqual([true, expect.not.stringContaining('error:')]);
}

/** Confirms the last command of a block. */
function yes(block: string) {
  return { answers: { [stepsIn(block).at(-1)?.command ?? '']: [['Enter stops', 'y']] as const } };
}
