import { CliError, configuration, exitCodes, usage } from '../errors.ts';
import { fileFault } from '../file-fault.ts';
import type { Host } from '../host.ts';
import { redact } from '../redact.ts';
import { createUi } from '../terminal/ui.ts';
import { checkValues, locate, wantsJson } from './argv.ts';
import type { Command, Group, Outcome } from './command.ts';
import type { CliContext } from './context.ts';
import { createContext } from './context.ts';
import type { Globals } from './globals.ts';
import { globals, refused } from './globals.ts';
import { help } from './help.ts';
import { longName, readInput } from './params.ts';
import type { PrinterOptions } from './printer.ts';
import { createPrinter } from './printer.ts';
import { parse } from './program.ts';
import { compileQuery } from './query.ts';
import type { Reporter } from './report.ts';
import { createReporter, signalExit } from './report.ts';

/** One command line from words to exit code: here every failure ends. */
export async function run(host: Host, tree: Group): Promise<number> {
  const reporter = createReporter({ stderr: host.stderr, json: wantsJson(host.argv), redact });
  try {
    return await perform(host, tree, reporter);
  } catch (error) {
    return failed(error, host, reporter);
  }
}

async function perform(host: Host, tree: Group, reporter: Reporter): Promise<number> {
  const { path, node, rest } = locate(tree, host.argv);
  if (node.kind === 'group') {
    if (!rest.some((word) => word === '--help' || word === '-h') && host.argv.length > 0) throw wordMissing(path, node);
    return shown(host, help(path, node));
  }
  const params = { ...node.params, ...globals };
  checkValues(rest, params);
  const texts = parse(path, params, rest);
  const given = readInput(globals, texts);
  if (given.help) return shown(host, help(path, node));
  checkGlobals(path, node, given);
  const { checkEnvironment } = await import('../profiles/environment.ts');
  checkEnvironment(host.env);
  const query = given.query === undefined ? undefined : await compileQuery(given.query);
  const context = createContext({ host, given, reporter, helpFor: (words) => helpFor(tree, words) });
  const ui = await createUi(surroundings(host, given), () => context.simulated());
  const options: PrinterOptions = {
    out: host.stdout,
    ui,
    format: given.json ? 'json' : given.output,
    piped: given.dryRun ? 'json' : node.piped,
    columns: given.columns,
    header: !given.noHeader,
    query,
    clean: reporter.clean,
  };
  try {
    const outcome = await outcomeOf(() => node.run(context, texts, createPrinter(options).item), given);
    await print(outcome, options, node.changes && !given.dryRun ? context : undefined);
    return exitCodes[outcome.exit];
  } finally {
    await context.close();
  }
}

/** What the command came to; in a dry run, the request that it would have made. */
async function outcomeOf(perform: () => Promise<Outcome>, { dryRun }: Globals): Promise<Outcome> {
  if (!dryRun) return perform();
  const { Planned, curlLine } = await import('../client/plan.ts');
  try {
    return await perform();
  } catch (error) {
    if (!(error instanceof Planned)) throw error;
    const { request } = error;
    return { data: request, text: () => curlLine(request), exit: 'done' };
  }
}

/** After a call that changed something, what cannot be printed as asked is printed as it is. */
async function print({ data, text }: Outcome, options: PrinterOptions, changed: CliContext | undefined): Promise<void> {
  try {
    await createPrinter(options).print(data, text);
  } catch (error) {
    const full = unwritable(error);
    if (full && changed) {
      const hint = `do not repeat it; what it came to: ${JSON.stringify(data)}`;
      throw new CliError('unsure', full.code, `it was done, but ${full.message}`, { hint, done: 'unknown' });
    }
    if (!(error instanceof CliError && error.exit === 'usage' && changed)) throw error;
    changed.note('not-as-asked', `${error.message}; the whole result is shown`);
    const format = options.format === 'id' ? undefined : options.format;
    await createPrinter({ ...options, format, columns: undefined, query: undefined }).print(data, text);
  }
}

async function failed(error: unknown, host: Host, reporter: Reporter): Promise<number> {
  const signal: unknown = host.signal.aborted ? host.signal.reason : undefined;
  if (signal === 'SIGPIPE') return exitCodes.done;
  if (isPromptLeft(error)) return signalExit(signal ?? 'SIGINT');
  const failure =
    error instanceof CliError ? error : (interrupted(error, signal) ?? unwritable(error) ?? unexpected(error));
  reporter.error(failure);
  return signal === undefined ? exitCodes[failure.exit] : signalExit(signal);
}

/** Whatever the signal called off, such as the wait for a sandbox that starts. */
function interrupted(error: unknown, signal: unknown): CliError | undefined {
  if (signal === undefined || !(error instanceof Error && error.name === 'AbortError')) return undefined;
  return new CliError('interrupted', 'interrupted', 'interrupted', { cause: error });
}

/** A result that cannot be written, as on a full disk, must not look like success. */
function unwritable(error: unknown): CliError | undefined {
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) return undefined;
  const why = fileFault(error)?.reason ?? error.message;
  return configuration('output-unwritable', `not all of the result could be written: ${why}`, undefined, error);
}

function unexpected(error: unknown): CliError {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CliError('unexpected', 'bug', `this is a bug in bizmsg: ${text.split('\n')[0]}`, {
    hint: `please report it with the command and these lines:\n${text}`,
  });
}

/** Ctrl-C at a prompt. */
function isPromptLeft(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError');
}

function checkGlobals(path: readonly string[], node: Command, given: Globals): void {
  if (given.json && given.output !== undefined && given.output !== 'json') {
    throw usage(`--json and -o ${given.output} exclude each other`);
  }
  const name = refused(given, node.honours);
  if (name) throw usage(`${path.join(' ')} cannot honour ${longName(globals[name])}`, 'leave it out');
}

function wordMissing(path: readonly string[], { children }: Group): CliError {
  const names = children.map(({ name }) => name).join(', ');
  return usage(`${path.join(' ')} needs one of its commands`, `they are ${names}`);
}

function surroundings({ stdout, env }: Host, given: Globals) {
  return { terminal: stdout.isTTY, width: stdout.columns ?? 80, noColor: given.noColor, env };
}

function helpFor(tree: Group, words: readonly string[]): string {
  const { path, node } = locate(tree, words);
  return help(path, node);
}

async function shown(host: Host, text: string): Promise<number> {
  await host.stdout.write(text);
  return exitCodes.done;
}
