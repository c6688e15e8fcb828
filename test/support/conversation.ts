import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { cli, type CliOptions } from './cli.ts';

/** A question and what is typed once it is shown, or the line of the choice to take, such as `/❯.*others/`. */
export type Answer = RegExp | readonly [question: RegExp, answer: string | (() => Promise<string>)];

/** The keyboard of a person who answers questions as they are shown. */
export function conversation(answers: readonly Answer[]) {
  const stdin = new PassThrough();
  // Each prompt ends its output, as if it was the last one.
  const stderr = Object.assign(new PassThrough(), { end: () => stderr });
  const waiting = [...answers];
  let [shown, from] = ['', 0];
  const press = (key: string) => void setImmediate(() => stdin.write(key));
  stderr.on('data', (part: Buffer) => {
    shown += stripVTControlCharacters(part.toString());
    const [next, last] = [waiting[0], shown.slice(from).split('\n')];
    const isChoice = next instanceof RegExp;
    const [question, answer] = isChoice ? [next, ''] : (next ?? [/$^/, '']);
    // A question that is a choice is its pointed line.
    const isAsked = question.test((isChoice ? last.findLast((line) => line.includes('❯')) : last.join('\n')) ?? '');
    if (isChoice && !isAsked && last.some((line) => line.includes('❯'))) press('\x1b[B');
    if (!isAsked) return;
    waiting.shift();
    from = shown.length;
    if (typeof answer === 'string') press(`${answer}\r`);
    else void answer().then((text) => press(`${text}\r`));
  });
  return { keyboard: { stdin, stderr }, shown: () => shown };
}

/** Runs a command on a terminal where a person answers. What was shown comes without escape codes, and as it was. */
export async function talk(argv: readonly string[], answers: readonly Answer[], options: CliOptions) {
  const { keyboard, shown } = conversation(answers);
  let raw = '';
  keyboard.stderr.on('data', (part: Buffer) => (raw += part.toString()));
  const { code, stdout, stderr } = await cli(argv, { terminal: 120, ...options, keyboard });
  const plain = stripVTControlCharacters;
  return { code, asked: shown(), raw, stdout: plain(stdout), stderr: plain(stderr) };
}
