import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { stopSandboxes } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { installIn } from '../support/bin.ts';
import { withoutVariables, stepsIn } from '../support/docs.ts';
import { openTerminal } from '../support/terminal.ts';

interface ReaderOptions {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Removes what differs between machines from the output. */
  readonly local?: (text: string) => string;
}

/** A prompt and the answer to type. */
type Answers = readonly (readonly [question: string, answer: string])[];

/** Runs a script in an environment as small as cron's, with bizmsg installed. */
export async function sh(script: string, home: string, env: Readonly<Record<string, string>> = {}) {
  const options = {
    cwd: home,
    env: { HOME: home, PATH: installIn(home), ...env },
    extendEnv: false,
    reject: false,
  } as const;
  const { exitCode, stdout, stderr } = await execa('bash', ['-c', script], options);
  return { code: exitCode ?? -1, stdout, stderr };
}

/** A terminal for the commands of the pages, in which no line wraps. */
export function openReader({ home = newHome(), env = {}, local = (text) => text }: ReaderOptions = {}) {
  const installed = { PATH: installIn(home), SHELL: '/bin/bash' };
  const terminal = openTerminal({ home, columns: 300, rows: 200, env: { ...installed, ...env } });
  onTestFinished(() => stopSandboxes(home));
  const comparable = (text: string) => withoutVariables(local(text)).trimEnd();
  return { home, enter, follow };

  async function enter(command: string, answers: Answers = []) {
    await terminal.enter('clear');
    await terminal.enter(command);
    for (const [question, answer] of answers) await terminal.reply(question, answer);
    const code = await terminal.ended();
    const [, text = ''] = /^\[\d+\] .*\n([^]*)\[\d+\]\s*$/.exec(terminal.screen()) ?? [];
    return { code, printed: text.replaceAll(home, '/home/ada').trimEnd() };
  }

  /** Runs the commands of a block; returns those whose exit code or output differs from the page. */
  async function follow(
    block: string,
    { answers = {}, exit = 0 }: { readonly answers?: Readonly<Record<string, Answers>>; readonly exit?: number } = {},
  ): Promise<readonly object[]> {
    await terminal.enter('cd');
    const otherwise = [];
    for (const { command, shown } of stepsIn(block)) {
      const { code, printed } = await enter(command, answers[command]);
      const isAsShown = shown === '' || abridged(comparable(shown)).test(comparable(printed));
      if (code !== exit || !isAsShown) otherwise.push({ command, code, printed, shown });
    }
    return otherwise;
  }
}

/** Removes durations. */
export function withoutTimes(text: string): string {
  return text.replace(/, [\d.]+ m?s$/gm, ', SOME TIME').replace(/\b(just now|\d+ s ago)/, 'SOME TIME ago');
}

/** Matches a text in which a line `…` stands for any lines. */
function abridged(text: string): RegExp {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/^ *… *$/gm, '(?:.*\n)*.*')}$`);
}
