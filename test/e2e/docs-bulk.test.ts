import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bin, binary, temporaryHome } from '../support/bin.ts';
import { stopSandboxes } from '../support/cli.ts';
import { objects } from '../support/json-lines.ts';
import { blocksIn, withoutVariables, stepsIn } from '../support/docs.ts';
import { posixOnly } from '../support/system.ts';
import { noTerminal, openTerminal, type Terminal } from '../support/terminal.ts';
import { openReader } from './docs-rig.ts';

posixOnly('they run a POSIX shell');

const [source = '', rehearsed = '', imported = ''] = blocksIn('docs/bulk.md', 'Import a file', 3);
const [batch = ''] = blocksIn('docs/bulk.md', 'Send to every row', 1);
const [chosen = ''] = blocksIn('docs/bulk.md', 'Whom and when', 1);
const [asked = ''] = blocksIn('docs/bulk.md', 'Before a live batch', 1);
const [stopped = ''] = blocksIn('docs/bulk.md', 'After an interruption, run the same command again', 1);
const [twice = ''] = blocksIn('docs/bulk.md', 'Nobody gets a template twice by accident', 1);
const [arrived = ''] = blocksIn('docs/bulk.md', 'Did the messages arrive?', 1);
const [exported = ''] = blocksIn('docs/bulk.md', 'Spreadsheets and exports', 1);
const [tagged = '', watched = '', folder = '', nightly = ''] = blocksIn('docs/bulk.md', 'Recipes', 4);

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
  writeFileSync(join(home.path, 'people.csv'), source);
});
afterEach(async () => {
  await stopSandboxes(home.path);
  home.remove();
});

describe('the page about imports and batches', () => {
  let terminal: Terminal;
  beforeEach(async (context) => {
    context.skip(noTerminal !== undefined, noTerminal);
    // A wide terminal, in which no line wraps.
    terminal = openTerminal({ home: home.path, columns: 300 });
    await terminal.enter('cd');
  });
  afterEach(() => terminal.close());

  it('shows a dry run, imports, and imports the fixed row', async () => {
    for (const { command, shown } of [...stepsIn(rehearsed), ...stepsIn(imported)]) {
      expect([command, await printed(command)]).toEqual([command, same(shown)]);
    }
  });

  it('refuses a param that is the name of a column, and excludes a recipient', async () => {
    expect(await openReader({ home: home.path }).follow(batch + chosen)).toEqual([]);
  });

  it('shows what a live batch is about to send, and asks', async () => {
    const { follow } = openReader({ home: home.path, local: same });
    const [, , , question] = stepsIn(asked);
    expect(await follow(asked, { answers: { [question?.command ?? '']: [['(y/N)', 'y']] } })).toEqual([]);
  });

  it('shows what became of each message', async () => {
    expect(await openReader({ home: home.path }).follow(arrived)).toEqual([]);
  });

  it('imports what it has exported', async () => {
    expect(await openReader({ home: home.path }).follow(exported)).toEqual([]);
  });

  it('is interrupted, and sends the rest with the same command', async () => {
    const [made, sent, again] = stepsIn(stopped);
    expect(again?.command).toBe(sent?.command);
    await printed(made?.command);
    await terminal.enter('clear');
    await terminal.enter(sent?.command ?? '');
    await terminal.until(/\d+ of 400 · /);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
    expect(counted(shownBy(terminal))).toBe(counted(same(sent?.shown)));
    expect(counted(await printed(again?.command))).toBe(counted(same(again?.shown)));
  });

  it('does not send the messages of a finished run again', async () => {
    const [texts, expected]: [string[], string[]] = [[], []];
    for (const { command, shown } of stepsIn(twice)) {
      const text = await printed(command);
      if (shown === '') continue;
      texts.push(text);
      expected.push(same(shown));
    }
    expect(texts).toEqual(expected);
  });

  /** The output of a command that has ended. */
  async function printed(command = ''): Promise<string> {
    await terminal.enter('clear');
    await terminal.enter(command);
    expect([command, await terminal.ended()]).toEqual([command, 0]);
    return shownBy(terminal);
  }

  function shownBy({ screen }: Terminal): string {
    const [, text = ''] = /^\[\d+\] .*\n([^]*)\[\d+\]\s*$/.exec(screen()) ?? [];
    return same(text.replaceAll(home.path, '/home/ada'));
  }
});

/** Removes durations, times and ids of runs. */
function same(text = 'nothing that the page has'): string {
  const lasted = text.trimEnd().replace(/(sent in|imported in|\) after) [\d.]+ m?s/g, '$1 SOME TIME');
  return withoutVariables(
    lasted
      .replace(/run [0-9a-f]{12} \(last at [^)]+\)/g, 'run ID (last at TIME)')
      .replace(/(continuing run|runs show) [0-9a-f]{12}/g, '$1 ID'),
  );
}

/** Removes the number of rows sent before Ctrl-C. */
function counted(text: string): string {
  return text.replace(/\b(?!400\b|100\/s)\d+(?= (of|rows|skipped|to send))/g, 'N');
}

const noJq = spawnSync('sh', ['-c', 'exec jq --version']).status === 0 ? undefined : 'skipped: jq is not installed';

describe('the recipe', () => {
  it('with jq sends only to the selected contacts', async (context) => {
    context.skip(noJq !== undefined, noJq);
    expect(shell(tagged)).toContain('1 of 1 row sent');
    expect(await sentTo()).toEqual(['+12025550112']);
  });

  it('for failures prints each one', (context) => {
    context.skip(noJq !== undefined, noJq);
    expect(shell(watched)).toMatch(/^line 4: phone: "1\.20256E\+10" is not a phone number/);
  });

  it('for a folder imports each file once', async () => {
    mkdirSync(join(home.path, 'incoming'));
    for (const at of [1, 2]) writeFileSync(join(home.path, `incoming/my ${at}.csv`), `phone\n+1202555014${at}\n`);
    shell(folder);
    shell(folder);
    const calls = await bin(['sandbox', 'requests', '-o', 'ndjson'], { home: home.path });
    expect(objects(calls.stdout).filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('for cron is one line, and imports only new rows', () => {
    writeFileSync(join(home.path, 'people.csv'), 'phone\n+12025550141\n');
    const [, line = ''] = /^PATH=\S+\n15 2 \* \* \* (.*)\n$/.exec(nightly) ?? [];
    expect(line).not.toContain('%');
    shell(line);
    shell(line);
    const log = readFileSync(join(home.path, 'import.log'), 'utf8');
    const summaries = objects(log).filter(({ type }) => type === 'summary');
    expect(summaries).toMatchObject([
      { sent: 1, skipped: { this_run: 0 } },
      { sent: 0, skipped: { this_run: 1 } },
    ]);
  });

  async function sentTo(): Promise<unknown> {
    const messages = JSON.parse((await bin(['sandbox', 'messages', '-o', 'json'], { home: home.path })).stdout);
    return messages.map(({ to }: { readonly to: string }) => to);
  }

  /** An environment as small as cron's, with bizmsg installed. */
  function shell(script: string): string {
    const bins = join(home.path, 'bin');
    if (!existsSync(bins)) mkdirSync(bins);
    writeFileSync(join(bins, 'bizmsg'), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`);
    chmodSync(join(bins, 'bizmsg'), 0o755);
    const env = { HOME: home.path, PATH: `${bins}:/usr/bin:/bin` };
    return execFileSync('/bin/sh', ['-c', script], { env, cwd: home.path, encoding: 'utf8', stdio: 'pipe' });
  }
});
