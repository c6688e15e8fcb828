import { onTestFinished } from 'vitest';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/hostile.ts';
import { installIn } from '../support/installed.ts';
import { lasting, stepsIn } from '../support/readme.ts';
import { abridged } from '../support/sample.ts';
import { openTerminal } from '../support/terminal.ts';

interface Given {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A wide one, in whose lines all is on one. */
  readonly columns?: number;
  /** Of what is printed, what is another thing on another machine. */
  readonly local?: (text: string) => string;
}

/** What is asked, and what is answered then. */
type Answers = readonly (readonly [question: string, answer: string])[];

interface Following {
  /** By the command that asks. */
  readonly answers?: Readonly<Record<string, Answers>>;
  /** 0, unless another one is meant. */
  readonly exit?: number;
}

interface Entered {
  readonly code: number;
  readonly printed: string;
}

/** A terminal of somebody who follows the README, in a home of their own. */
interface Reader {
  readonly home: string;
  enter(command: string, answers?: Answers): Promise<Entered>;
  /** Runs the commands of a block; what is returned is of those that went or printed otherwise than the README shows. */
  follow(block: string, following?: Following): Promise<readonly object[]>;
}

export function openReader({ home = newHome(), env = {}, columns = 300, local = same }: Given = {}): Reader {
  const installed = { PATH: installIn(home), SHELL: '/bin/bash' };
  const terminal = openTerminal({ home, columns, rows: 200, env: { ...installed, ...env } });
  onTestFinished(async () => {
    terminal.close();
    await bin(['sandbox', 'stop'], { home });
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
  const told = (text: string) => lasting(local(text)).trimEnd();
  return {
    home,
    enter,
    follow: async (block, { answers = {}, exit = 0 } = {}) => {
      await terminal.enter('cd');
      const otherwise = [];
      for (const { command, shown } of stepsIn(block)) {
        const { code, printed } = await enter(command, answers[command]);
        const isAsShown = shown === '' || abridged(told(shown)).test(told(printed));
        if (code !== exit || !isAsShown) otherwise.push({ command, code, printed, shown });
      }
      return otherwise;
    },
  };
}

function same(text: string): string {
  return text;
}
