import type { Done, ExitName } from '../errors.ts';
import { CliError } from '../errors.ts';
import { tooManyFiles, tooManyFilesCode } from '../file-fault.ts';
import { isLoopback } from './address.ts';
import type { Occasion, Trouble } from './trouble.ts';
import { faultHint, isChange, unsureHint } from './trouble.ts';
import type { WireFailure, WireKind } from './wire-failure.ts';

type NetworkTrouble = Extract<Trouble, { readonly kind: 'broken' | 'late' | 'interrupted' }>;

interface Story {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Where a request that changes nothing ends; `network` if not said. */
  readonly exit?: ExitName;
}

/** An exchange that came to no answer. */
export function networkFailure(trouble: NetworkTrouble, { method, url, conceal }: Occasion): CliError {
  const { code, message, hint, exit = 'network' } = story(trouble, new URL(url));
  const sent = trouble.kind === 'broken' ? trouble.failure.sent : trouble.sent;
  const done: Done = sent ? 'unknown' : 'no';
  const cause = trouble.kind === 'broken' ? trouble.failure : undefined;
  const text = conceal.text(message);
  if (!isChange(method)) return new CliError(exit, code, text, { hint, cause });
  if (trouble.kind === 'interrupted')
    return new CliError(exit, code, text, { hint: sent ? unsureHint : undefined, done });
  if (sent) return new CliError('unsure', code, text, { hint: unsureHint, done, cause });
  // Too many open files is a matter of this machine.
  return new CliError(exit === 'configuration' ? exit : 'network', code, text, { hint, done, cause });
}

function story(trouble: NetworkTrouble, url: URL): Story {
  if (trouble.kind === 'broken') return broken(trouble.failure, url);
  if (trouble.kind === 'late') return late(trouble.waited, trouble.sent, url);
  const message = trouble.sent ? 'interrupted before the answer came' : 'interrupted before the request left';
  return { exit: 'interrupted', code: 'interrupted', message };
}

function late(waited: number, sent: boolean, url: URL): Story {
  const what = sent ? 'no answer' : 'no connection';
  return { code: 'timeout', message: `${what} from ${url.host} within ${waited / 1_000} s`, hint: 'see --timeout' };
}

function broken({ kind, message, cause }: WireFailure, url: URL): Story {
  const tell: Readonly<Record<WireKind, () => Story>> = {
    connect: () => ({
      code: 'unreachable',
      message: `cannot connect to ${url.host}: ${message}`,
      hint: isLoopback(url.hostname)
        ? 'is the sandbox running? start it with "bizmsg sandbox start"'
        : 'check the address and the network',
    }),
    address: () => ({
      code: 'unknown-host',
      message: `there is no host "${url.hostname}"`,
      hint: 'check the base URL and the network',
    }),
    tls: () => ({
      code: 'tls',
      message: `no secure connection to ${url.host}: ${message}`,
      hint: 'if an authority of your own signs its certificate, name it with --ca-file',
    }),
    proxy: () => ({
      code: 'proxy',
      message: `the proxy opens no way to ${url.host}: ${message}`,
      hint: 'look at HTTPS_PROXY and ALL_PROXY; NO_PROXY lists what needs none',
    }),
    files: () => ({
      exit: 'configuration',
      code: tooManyFilesCode,
      message: `cannot connect to ${url.host}: ${message}`,
      hint: tooManyFiles(cause)?.hint,
    }),
    aborted: () => ({ code: 'connection-lost', message: `the connection to ${url.host} was given up` }),
    reset: () => ({ code: 'connection-lost', message: `the connection to ${url.host} broke: ${message}` }),
    garbled: () => ({
      exit: 'serviceFault',
      code: 'unreadable-answer',
      message: `the answer of ${url.host} is not HTTP: ${message}`,
      hint: `check the address; ${faultHint}`,
    }),
    'too-large': () => ({ exit: 'serviceFault', code: 'answer-too-large', message, hint: faultHint }),
  };
  return tell[kind]();
}
