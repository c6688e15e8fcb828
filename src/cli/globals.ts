import { choice, columns, count, duration, flag, type Input, option } from './params.ts';

const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'id'] as const;
export type Format = (typeof formats)[number];

/** Accepted before and after every command; a command refuses those of `honourable` that it cannot honour. */
export const globals = {
  profile: option('--profile <name>', 'the profile that is used; local is the sandbox on this machine'),
  mode: choice('--mode <mode>', 'the mode of the key that has to be used, for this one command', ['sandbox', 'live']),
  output: choice('-o, --output <format>', 'how results are printed', formats, toFile),
  json: flag('--json', 'the same as -o json'),
  columns: option('--columns <names>', 'only these columns, in this order, with commas between', columns),
  noHeader: flag('--no-header', 'no header line in tables, csv and tsv'),
  rawFormulas: flag('--raw-formulas', 'in csv, leave texts as they are that a spreadsheet would run'),
  query: option('--query <expression>', 'a JMESPath expression that picks from the result'),
  baseUrl: option('--base-url <url>', "the service's address"),
  timeout: option('--timeout <duration>', 'give up a call after this long (30s for a GET, 60s for a POST)', duration),
  retries: option('--retries <n>', 'repeat up to n times what was surely not done (3)', count),
  noPace: flag('--no-pace', "do not wait for the plan's rate, nor for other processes that use it"),
  caFile: option('--ca-file <file>', 'trust the certificate authorities in this PEM file too'),
  dryRun: flag('--dry-run', 'show the request and send nothing'),
  yes: flag('--yes', 'answer yes to confirmations'),
  noInput: flag('--no-input', 'never ask; fail and name the option instead'),
  quiet: flag('--quiet', 'no notes, but for those that say whether a send is real'),
  debug: flag('--debug', 'trace requests on stderr, without keys'),
  noColor: flag('--no-color', 'no colours'),
  help: flag('-h, --help', 'show help'),
} as const;

export type Globals = Input<typeof globals>;

/** For who names the file of the results. */
function toFile(text: string): string | undefined {
  const [, ending] = /\.(\w+)$/.exec(text) ?? [];
  const format = formats.find((one) => one === ending) ?? 'csv';
  return ending && `results go to stdout: -o ${format} > ${text}`;
}

/** A flag that is ignored sends: what a command does not list of these, it refuses. */
export const honourable = ['dryRun', 'mode', 'profile', 'baseUrl', 'output', 'columns', 'query'] as const;
export type Honour = (typeof honourable)[number];

export const printing = ['output', 'columns', 'query'] as const satisfies readonly Honour[];
export const calling = ['dryRun', 'mode', 'profile', 'baseUrl', ...printing] as const satisfies readonly Honour[];

export function refused(given: Globals, honours: readonly Honour[]): Honour | undefined {
  const asked = (name: Honour) => given[name] !== undefined && given[name] !== false;
  return honourable.find((name) => !honours.includes(name) && (asked(name) || (name === 'output' && given.json)));
}
