import type { Readable, Writable } from 'node:stream';

export interface AskOptions {
  readonly stdin: Readable;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

export interface Asker {
  text(question: string, check?: (text: string) => true | string): Promise<string>;
  secret(question: string, check?: (text: string) => true | string): Promise<string>;
  confirm(question: string): Promise<boolean>;
}

/** Prompts on stderr, so that stdout stays the result's alone. */
export async function createAsker({ stdin, stderr, signal }: AskOptions): Promise<Asker> {
  const { confirm, input, password } = await import('@inquirer/prompts');
  const streams = { input: stdin, output: stderr, signal };
  return {
    text: (message, validate) => input({ message, ...(validate && { validate }) }, streams),
    secret: (message, validate) =>
      password({ message, mask: '*', toggleMask: false, ...(validate && { validate }) }, streams),
    confirm: (message) => confirm({ message, default: false }, streams),
  };
}
