import { CliError, exitCodes, usage } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { jsonText } from '../base/json.ts';
import { redact } from '../base/redact.ts';
import { checkEnvironment } from '../session/caller.ts';
import type { Command, CommandResult, Context, Emit, Group, Line } from './command.ts';
import { createContext } from './context.ts';
import { type Globals, globals, refused } from './globals.ts';
import { Printer, type PrinterOptions } from './output/printer.ts';
import { createReporter, failed, type Reporter, unwritable } from './output/reporter.ts';
import { colorsFor, createUi } from './output/ui.ts';
import { longName, readInput } from './params.ts';
import { type Look, parse, wantsJson } from './parser.ts';

/** Runs a command line and returns its exit code. All failures end here. */
export async function run(host: Host, tree: Group): Promise<number> {
  const reporter = await reporterOf(host);
  try {
    const exit = await perform(host, tree, reporter);
    if (exit instanceof CliError) return failed(exit, host.signal, reporter, true);
    return typeof exit === 'number' ? exit : exitCodes[exit];
  } catch (error) {
    return failed(error, host.signal, reporter);
  }
}

/** Reports a failure of the version or the help, which do not need `run`; returns the exit code. */
export async function fail(host: Host, error: unknown): Promise<number> {
  return failed(error, host.signal, await reporterOf(host));
}

async function reporterOf({ stderr, argv, env }: Host): Promise<Reporter> {
  const color = await colorsFor(stderr, { argv, env });
  return createReporter({ stderr, json: wantsJson(argv) && !stderr.isTTY, color, redact });
}

async function perform(host: Host, tree: Group, reporter: Reporter): Promise<CommandResult['exit']> {
  const { stdout, argv, env } = host;
  const color = await colorsFor(stdout, host);
  const look: Look = { width: stdout.columns || 80, bold: color.bold, dim: color.dim };
  const line = await parse(tree, argv, look);
  const { path, node, texts } = line;
  if (node.kind === 'group' || line.answer !== undefined) return answered(host, line);
  const given = readInput(globals, texts);
  checkGlobals(path, node, given);
  checkEnvironment(env);
  const context = createContext({ host, given, reporter, parse: (words) => parse(tree, words, look) });
  const options: PrinterOptions = {
    out: stdout,
    ui: createUi(host, color, context.harmless),
    format: given.output,
    piped: given.dryRun ? 'json' : node.piped,
    columns: given.columns,
    header: !given.noHeader,
    lists: node.lists,
    form: context.listForm,
    clean: reporter.clean,
    note: context.note,
  };
  try {
    const printer = new Printer(options);
    // A failed write becomes an error that a batch can report.
    const emit: Emit = (items) =>
      printer.items(items).catch((error: unknown) => Promise.reject(unwritable(error) ?? error));
    const ran = () => outcomeOf(() => node.run(context, texts, emit), context);
    if (node.lists && !given.dryRun) return (await ended(ran, printer)).exit;
    const outcome = await ran();
    return (await printed(outcome, options)) ?? outcome.exit;
  } finally {
    await context.close();
  }
}

function checkGlobals(path: readonly string[], node: Command, flags: Globals): void {
  const isSandbox = path[1] === 'sandbox' && flags.profile === 'local';
  const name = refused(isSandbox ? { ...flags, profile: undefined } : flags, node.accepts);
  if (name) throw usage(`${path.join(' ')} does not accept ${longName(globals[name])}`, 'remove it');
}

/** Prints the help or the version. */
async function answered(host: Host, { path, node, answer = '' }: Line): Promise<'done'> {
  const described = wantsJson(host.argv) ? await (await import('./describe.ts')).describeNode(path, node) : undefined;
  await host.stdout.write(described ? `${jsonText(described)}\n` : answer);
  return 'done';
}

/** Runs the command; a dry run results in the planned request. */
async function outcomeOf(
  perform: () => Promise<CommandResult>,
  { given, note }: Pick<Context, 'given' | 'note'>,
): Promise<CommandResult> {
  if (!given.dryRun) return perform();
  const { DryRunResult, curlLine } = await import('../client/dry-run.ts');
  try {
    return await perform();
  } catch (error) {
    if (!(error instanceof DryRunResult)) throw error;
    const { request } = error;
    const hasNoId = given.output === 'id';
    if (hasNoId) note('no-id', 'nothing was sent, so there is no id; -o json shows the request');
    const data = hasNoId ? undefined : request;
    return { data, text: () => curlLine(request), exit: 'done', changed: false, piped: 'json' };
  }
}

/** Completes the output of a list, also after a failure, so that it can be parsed. */
async function ended(perform: () => Promise<CommandResult>, printer: Printer): Promise<CommandResult> {
  try {
    const outcome = await perform();
    await printer.end();
    return outcome;
  } catch (error) {
    await printer.end(true).catch(() => {});
    throw error;
  }
}

/** Prints and finishes the result; resolves to a failure that is not reported yet. */
async function printed(outcome: CommandResult, options: PrinterOptions): Promise<CliError | undefined> {
  let isPrinted = false;
  let fault: CliError | undefined;
  try {
    await print(outcome, options);
    isPrinted = true;
  } finally {
    fault = await outcome.finish?.(isPrinted);
  }
  return outcome.exit instanceof CliError ? undefined : fault;
}

/** Prints the result. After a change, one that does not fit the output options is printed whole. */
async function print(outcome: CommandResult, shared: PrinterOptions): Promise<void> {
  const { data, text, piped, first, changed } = outcome;
  const options = { ...shared, piped, first };
  try {
    await new Printer(options).print(data, text);
  } catch (error) {
    const full = unwritable(error);
    if (full) throw lost(full, outcome);
    if (!(error instanceof CliError && error.exit === 'usage' && changed)) throw error;
    shared.note('not-as-asked', `${error.message}; showing the whole result`);
    const format = options.format === 'id' ? undefined : options.format;
    await new Printer({ ...options, format, columns: undefined }).print(data, text);
  }
}

/** The failure for a result that could not be written. The command's own failure matters more. */
function lost(full: CliError, { data, changed, exit, unprinted }: CommandResult): CliError {
  if (unprinted === undefined && changed) {
    const hint = `do not repeat it; the result: ${jsonText(data)}`;
    return new CliError('unsure', full.code, `it was done, but ${full.message}`, { hint, done: 'unknown' });
  }
  if (unprinted === undefined) return full;
  const failure = exit instanceof CliError && exit.code !== full.code ? exit : undefined;
  const message = failure ? `${failure.message}; and ${full.message}` : full.message;
  return new CliError((failure ?? full).exit, (failure ?? full).code, message, { hint: unprinted, cause: full });
}
