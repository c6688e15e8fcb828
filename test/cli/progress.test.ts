import { expect, it } from 'vitest';
import { createProgress } from '../../src/cli/output/progress.ts';
import { createReporter } from '../../src/cli/output/reporter.ts';
import { plain } from '../../src/cli/output/ui.ts';
import type { Env } from '../../src/base/host.ts';
import { movedClock } from '../support/timers.ts';

interface Circumstances {
  readonly terminal: boolean;
  readonly quiet?: boolean;
  readonly env?: Env;
  /** The end of the text. */
  readonly after?: string;
}

/** The output on stderr of work that takes a number of seconds. */
function written(seconds: number, { terminal, quiet = false, env = {}, after = '' }: Circumstances) {
  const clock = movedClock();
  let text = '';
  const write = async (part: string | Uint8Array) => void (text += part);
  const output = { isTTY: terminal, columns: 60, write };
  const host = { env, stdout: output, stderr: output, later: clock.later };
  const reporter = createReporter({ stderr: output, json: false, color: plain, redact: String });
  const flags = { quiet, debug: false, output: undefined };
  const progress = createProgress(host, flags, reporter, (text) => `<${text}>`);
  progress.follow((columns, red = String) => `${clock.now() / 1_000} s of ${red(`${columns} columns`)}${after}`);
  clock.advance(seconds * 1_000);
  progress.end();
  clock.advance(60_000);
  return text;
}

it('is a note every thirty seconds without a terminal, without escape codes', () => {
  expect(written(70, { terminal: false })).toBe('note: 30 s of 100 columns\nnote: 60 s of 100 columns\n');
});

it.each([{ ACCESSIBLE: '1' }, { TERM: 'dumb' }, { CI: 'true' }])('redraws nothing on a terminal with %o', (env) => {
  expect(written(40, { terminal: true, env })).toBe('note: 30 s of 100 columns\n');
});

it('is one line on a terminal, in color, from 0.3 s on, and is removed at the end', () => {
  const lines = written(2, { terminal: true }).split('\r\u001b[2K').slice(1);
  expect(lines.slice(0, 2)).toEqual(['0.3 s of <59 columns>', '0.55 s of <59 columns>']);
  expect([lines.length, lines.at(-1)]).toEqual([8, '']);
});

it('is cut to the width of the terminal', () => {
  const [, line] = written(1, { terminal: true, after: '.'.repeat(60) }).split('\r\u001b[2K');
  expect(line).toBe(`${'0.3 s of <59 columns>'.padEnd(58, '.')}…`);
});

it('is not shown with --quiet', () => {
  expect(written(70, { terminal: true, quiet: true })).toBe('');
});
