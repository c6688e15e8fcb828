import type { Summary } from '../../bulk/run/summary.ts';
import { tooManyFilesCode } from '../../file-fault.ts';
import { whole } from '../../terminal/run-progress.ts';
import { resumeLine } from './resume-line.ts';

type Stopped = NonNullable<Summary['stopped']>;

/** What goes on with a run that was stopped, in words. */
export function goesOn({ exit, code }: Stopped, summary: Summary, typed: readonly string[]): string {
  // It may be revoked for good. It is the same line where that very key is taken again.
  if (exit === 'keyRefused')
    return `${piped(typed)}with a valid key of the same account go on with: ${resumeLine(typed, '--new-key')}`;
  const line = `${piped(typed)}go on with: ${resumeLine(typed)}`;
  if (code === tooManyFilesCode) return `raise the limit ("ulimit -n 1024") or lower --concurrency, then ${line}`;
  if (code !== 'too-many-errors') return line;
  const cause = exit === 'usage' ? 'the rows' : 'the service';
  const again = `mend the flags and start again without --resume${sentTwice(summary, typed)}`;
  return `if the mapping is wrong, ${again}; if it was ${cause}, ${line}`;
}

/** The run has its own copy. */
function piped(typed: readonly string[]): string {
  return typed.includes('-') ? 'nothing needs to be piped in; ' : '';
}

/** Other flags make another run. */
function sentTwice({ done, unsure }: Summary, typed: readonly string[]): string {
  if (done + unsure === 0) return '';
  const again = `, which sends once more what is done or unsure (${whole(done + unsure)})`;
  return typed.includes('send-batch') ? `${again}, where its message is the same only with --allow-repeat` : again;
}
