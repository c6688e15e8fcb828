import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { globals } from '../../src/cli/globals.ts';
import { readInput } from '../../src/cli/params.ts';
import { createProgress } from '../../src/cli/output/progress.ts';
import { createReporter } from '../../src/cli/output/reporter.ts';
import type { Env, Host } from '../../src/base/host.ts';
import { alive, later } from '../support/cli.ts';

/** The output on stderr of a run with ten rows a second, for a number of seconds. */
function written(
  seconds: number,
  { terminal, quiet = false, env = {} }: { readonly terminal: boolean; readonly quiet?: boolean; readonly env?: Env },
) {
  let [time, text] = [1_000, ''];
  const write = async (part: string | Uint8Array) => void (text += part);
  const output = { isTTY: terminal, columns: 60, unprinted: { bytes: 0, lines: 0 }, write };
  const refuse = () => {
    throw new Error('not needed here');
  };
  const host: Host = {
    argv: [],
    env,
    stdout: output,
    stderr: output,
    stdinIsTerminal: false,
    streams: { stdin: new PassThrough(), stderr: new PassThrough() },
    home: '/nowhere',
    node: process.versions.node,
    pid: 1,
    self: [],
    signal: new AbortController().signal,
    handleSignals: refuse,
    now: () => time,
    steady: () => time,
    later,
    random: Math.random,
    kill: alive,
    spawnDetached: refuse,
    spawnAttached: refuse,
  };
  const given = { ...readInput(globals, {}), quiet };
  const progress = createProgress(host, given, createReporter({ stderr: output, json: false, redact: (one) => one }));
  for (let settled = 1; settled <= seconds * 10; settled++) {
    time += 100;
    progress.show({ settled, total: 1_000, failed: 0, unsure: 0 });
  }
  progress.end();
  return text;
}

it('is a note every thirty seconds without a terminal, without escape codes', () => {
  expect(written(70, { terminal: false })).toBe(
    'note: [######              ] 300 of 1,000 · 30 % · 10/s · 1 min 10 s left\n' +
      'note: [############        ] 600 of 1,000 · 60 % · 10/s · 40 s left\n',
  );
});

it.each([{ ACCESSIBLE: '1' }, { TERM: 'dumb' }, { CI: 'true' }])('redraws nothing on a terminal with %o', (env) => {
  const text = written(40, { terminal: true, env });
  expect(text).not.toContain('\u001b');
  expect(text).toMatch(/^note: .*300 of 1,000/);
});

it('is one line on a terminal, fits its width, and is removed at the end', () => {
  const lines = written(5, { terminal: true }).split('\r\u001b[2K');
  expect(lines.filter((line) => line.length >= 60 || line.includes('\n'))).toEqual([]);
  expect([lines.length, lines.at(-1)]).toEqual([52, '']);
});

it('is not shown with --quiet', () => {
  expect(written(70, { terminal: true, quiet: true })).toBe('');
});
