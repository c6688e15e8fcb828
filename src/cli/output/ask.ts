import type { Readable, Writable } from 'node:stream';
import { safeLine } from './text.ts';

export interface AskOptions {
  readonly stdin: Readable;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

type Check = (text: string) => true | string;

export interface Asker {
  text(question: string, check?: Check): Promise<string>;
  secret(question: string, check?: Check): Promise<string>;
  confirm(question: string): Promise<boolean>;
  /** Returns the chosen one. */
  choose<T extends Named>(question: string, choices: readonly T[]): Promise<T>;
}

interface Named {
  readonly name: string;
}

/** Prompts on stderr, so that stdout stays the result's alone. */
export async function createAsker({ stdin, stderr, signal }: AskOptions): Promise<Asker> {
  const { confirm, input, password, select } = await import('@inquirer/prompts');
  const streams = { input: stdin, output: stderr, signal };
  return {
    text: (question, check) => input({ message: safeLine(question), ...checking(check) }, streams),
    secret: (question, check) =>
      password({ message: safeLine(question), mask: '*', toggleMask: false, ...checking(check) }, streams),
    confirm: (question) => confirm({ message: safeLine(question), default: false }, streams),
    choose: (question, choices) =>
      select(
        {
          message: safeLine(question),
          choices: choices.map((value) => ({ name: safeLine(value.name), value })),
        },
        streams,
      ),
  };
}

/** A check may quote what was typed, and a question names from files: neither acts on the terminal. */
function checking(check: Check | undefined): { validate?: Check } {
  if (!check) return {};
  const validate = (text: string) => {
    const found = check(text);
    return found === true ? true : safeLine(found);
  };
  return { validate };
}
