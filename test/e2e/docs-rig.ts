import { onTestFinished } from 'vitest';
import { stopSandboxes } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { installIn } from '../support/install.ts';
import { withoutVariables, stepsIn } from '../support/docs.ts';
import { openTerminal } from '../support/terminal.ts';

interface Given {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A wide terminal, in which no line wraps. */
  readonly columns?: number;
  /** Removes what differs between machines from the output. */
  readonly local?: (text: string) => string;
}

/** A prompt and the answer to type. */
type Answers = readonly (readonly [question: string, answer: string])[];

interface Following {
  /** Prompts by command. */
  readonly answers?: Readonly<Record<string, Answers>>;
  /** Exit codes other than 0, by command. */
  readonly exit?: number;
}

interface Entered {
  readonly code: number;
  readonly printed: string;
}

/** A terminal in a new home, for the commands of the pages. */
interface Reader {
  readonly home: string;
  enter(command: string, answers?: Answers): Promise<Entered>;
  /** Runs the commands of a block; returns those whose exit code or output differs from the page. */
  follow(block: string, following?: Following): Promise<readonly object[]>;
}

export function openReader({ home = newHome(), env = {}, columns = 300, local = same }: Given = {}): Reader {
  const installed = { PATH: installIn(home), SHELL: '/bin/bash' };
  const terminal = openTerminal({ home, columns, rows: 200, env: { ...installed, ...env } });
  onTestFinished(async () => {
    terminal.close();
    await stopSandboxes(home);
  });
  const enter = async (command: string, answers: Answers = []): Promise<Entered> => {
    await terminal.enter('clear');
    await terminal.enter(command);
    for (const [question, answer] of answers) {
      await terminal.until(question);
      terminal.answer(answer);
    }
    const code = await terminal.ended();
    const [, text = ''] = /^\[\d+\] .*\n([^]*)\[\d+\]\s*$/.exec(terminal.screen()) ?? [];
    return { code, printed: text.replaceAll(home, '/home/ada').trimEnd() };
  };
  const comparable = (text: string) => withoutVariables(local(text)).trimEnd();
  return {
    home,
    enter,
    follow: async (block, { answers = {}, exit = 0 } = {}) => {
      await terminal.enter('cd');
      const otherwise = [];
      for (const { command, shown } of stepsIn(block)) {
        const { code, printed } = await enter(command, answers[command]);
        const isAsShown = shown === '' || abridged(comparable(shown)).test(comparable(printed));
        if (code !== exit || !isAsShown) otherwise.push({ command, code, printed, shown });
      }
      return otherwise;
    },
  };
}

function same(text: string): string {
  return text;
}

/** Matches a text in which a line `…` stands for any lines. */
function abridged(text: string): RegExp {
  const lines = text.split('\n');
  const parts = lines.map((line) => (line.trim() === '…' ? '(?:.*\n)*.*' : escaped(line)));
  return new RegExp(`^${parts.join('\n')}$`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
