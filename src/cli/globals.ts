import { choice, count, duration, flag, type Input, knowing, names, option } from './params.ts';

const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'id'] as const;
export type Format = (typeof formats)[number];

/** Accepted before and after every command, except the `restricted` ones that a command does not list. */
export const globals = {
  profile: knowing('callers', option('--profile <name>', 'this profile; local is the sandbox on this machine')),
  mode: choice('--mode <mode>', 'use only a key of this mode', ['sandbox', 'live']),
  output: choice('-o, --output <format>', 'print as', formats, toFile),
  columns: option('--columns <names>', 'print only these columns, in this order, separated by commas', names),
  noHeader: flag('--no-header', 'print no header line in tables, csv and tsv'),
  baseUrl: option('--base-url <url>', 'use this address of the service'),
  timeout: option('--timeout <duration>', 'time-out of each call (default: 30s for a GET, 60s for a POST)', duration),
  retries: option('--retries <n>', 'retry a call at most n times, only if it was not carried out (default: 3)', count),
  caFile: option('--ca-file <file>', 'also trust the certificate authorities in this PEM file'),
  dryRun: flag('--dry-run', 'show the request and send nothing'),
  yes: flag('-y, --yes', 'answer yes; a live batch also needs --at-most'),
  noInput: flag('--no-input', 'never prompt; fail and name the missing option'),
  quiet: flag('-q, --quiet', 'print no notes, except that a key is live'),
  debug: flag('--debug', 'trace requests on stderr, without keys'),
  noColor: flag('--no-color', 'print no colors'),
  version: flag('-V, --version', 'print the version'),
  help: flag('-h, --help', 'show help'),
} as const;

export type Globals = Input<typeof globals>;

/** The hint for a file name after -o. */
function toFile(text: string): string | undefined {
  const [, ending] = /\.(\w+)$/.exec(text) ?? [];
  const format = formats.find((name) => name === ending) ?? 'csv';
  return ending && `results go to stdout: -o ${format} > ${text}`;
}

/** Options that must never be ignored: an ignored --dry-run would send. A command refuses those it does not list. */
const restricted = ['dryRun', 'mode', 'profile', 'baseUrl', 'output', 'columns'] as const;
export type Restricted = (typeof restricted)[number];

export const printOptions = ['output', 'columns'] as const;
export const callOptions = ['dryRun', 'mode', 'profile', 'baseUrl', ...printOptions] as const;

export function notAccepted(accepts: readonly Restricted[]): readonly Restricted[] {
  return restricted.filter((name) => !accepts.includes(name));
}

export function refused(flags: Globals, accepts: readonly Restricted[]): Restricted | undefined {
  return notAccepted(accepts).find((name) => flags[name] !== undefined && flags[name] !== false);
}
