import { CliError, exitCodes, usage } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { jsonText } from '../base/json.ts';
import { redact } from '../base/redact.ts';
import { american, checkValues, locate, wantsJson, parse } from './argv.ts';
import type { Command, CommandResult, Context, Emit, Located, Tree } from './command.ts';
import { createContext } from './context.ts';
import { type Globals, globals, refused } from './globals.ts';
import { createPrinter, type Printer, type PrinterOptions } from './output/printer.ts';
import { createReporter, failed, failedInTheEnd, type Reporter, unwritable } from './output/reporter.ts';
import { createUi, helpPage } from './output/ui.ts';
import { longName, type Param, readInput, type Texts } from './params.ts';

/** Runs a command line and returns its exit code. All failures end here. */
export async function run(host: Host, tree: Tree): Promise<number> {
  const reporter = reporterOf(host);
  try {
    const exit = await perform(host, tree, reporter);
    if (exit instanceof CliError) return failedInTheEnd(exit, host.signal, reporter);
    return typeof exit === 'number' ? exit : exitCodes[exit];
  } catch (error) {
    return failed(error, host.signal, reporter);
  }
}

/** Reports a failure of the version or the help, which do not need `run`; returns the exit code. */
export function fail(host: Host, error: unknown): number {
  return failed(error, host.signal, reporterOf(host));
}

function reporterOf({ stderr, argv }: Host): Reporter {
  return createReporter({ stderr, json: wantsJson(argv) && !stderr.isTTY, redact });
}

async function perform(host: Host, tree: Tree, reporter: Reporter): Promise<CommandResult['exit']> {
  if (host.argv.length === 1 && host.argv[0] === 'version') return shown(host, `${__VERSION__}\n`);
  const { path, node, rest } = await locate(tree, american(host.argv));
  if (node.kind !== 'command') {
    if (rest.some((word) => word === '--version' || word === '-V')) return shown(host, `${__VERSION__}\n`);
    const isAsked = rest.some((word) => word === '--help' || word === '-h');
    if (node.kind === 'tree' && !isAsked && host.argv.length > 0) throw wordMissing(path, node);
    return showHelp(host, { path, node, isAsked });
  }
  const params = { ...node.params, ...globals };
  checkValues(rest, params);
  const texts = await parse({ path, node, params, argv: rest });
  const given = readInput(globals, texts);
  if (given.version) return shown(host, `${__VERSION__}\n`);
  if (given.help) return showHelp(host, { path, node, noColor: given.noColor });
  checkGlobals(path, node, given);
  await checkArguments(path, node, texts);
  const { checkEnvironment } = await import('../session/caller.ts');
  checkEnvironment(host.env);
  const context = createContext({
    host,
    given,
    reporter,
    locate: (words) => locate(tree, words),
  });
  const ui = await createUi(surroundings(host, given), context.harmless);
  const options: PrinterOptions = {
    out: host.stdout,
    ui,
    format: given.output,
    piped: given.dryRun ? 'json' : node.piped,
    columns: given.columns,
    header: !given.noHeader,
    marks: mayReachTerminal(host),
    lists: node.lists,
    form: context.listForm,
    clean: reporter.clean,
    note: context.note,
  };
  try {
    const printer = createPrinter(options);
    const ran = () => outcomeOf(() => node.run(context, texts, emitting(printer)), given);
    const isList = node.lists && !given.dryRun;
    const outcome = isList ? await ended(ran, printer) : await ran();
    const fault = isList ? undefined : await printed(outcome, options, context);
    return fault ?? outcome.exit;
  } finally {
    await context.close();
  }
}

/** Whether the output may reach a terminal; a pipe may end at one, as in `| head`. */
function mayReachTerminal({ stdout, stderr }: Host): boolean {
  return stderr.isTTY && !stdout.isFile;
}

function checkGlobals(path: readonly string[], node: Command, given: Globals): void {
  const isSandbox = path[1] === 'sandbox' && given.profile === 'local';
  const name = refused(isSandbox ? { ...given, profile: undefined } : given, node.accepts);
  if (name) throw usage(`${path.join(' ')} does not accept ${longName(globals[name])}`, 'remove it');
}

async function checkArguments(path: readonly string[], node: Command, texts: Texts): Promise<void> {
  const isMissing = ([name, { kind, spec }]: [string, Param<unknown>]) =>
    kind === 'argument' && spec.startsWith('<') && texts[name]?.length === 0;
  const [, missing] = Object.entries(node.params).find(isMissing) ?? [];
  if (missing) throw (await import('./suggestions.ts')).missingArgument(path, node, missing);
}

function wordMissing(path: readonly string[], { children }: Tree): CliError {
  const names = children.map(({ name }) => name).join(', ');
  return usage(`${path.join(' ')} needs a command`, `one of ${names}`);
}

function surroundings(host: Host, given: Globals) {
  const { stdout, env, now } = host;
  return {
    marks: mayReachTerminal(host),
    terminal: stdout.isTTY,
    // A terminal without a size reports 0, and the size may change.
    get width() {
      return stdout.columns || 80;
    },
    noColor: given.noColor,
    env,
    now,
  };
}

interface Helped extends Pick<Located, 'path' | 'node'> {
  readonly isAsked?: boolean;
  readonly noColor?: boolean;
}

async function showHelp(host: Host, { path, node, isAsked, noColor = false }: Helped): Promise<number> {
  if (wantsJson(host.argv)) {
    const { describeNode } = await import('./command-tree.ts');
    return shown(host, `${jsonText(await describeNode(path, node))}\n`);
  }
  const { help } = await import('./help.ts');
  const { stdout, env } = host;
  const surroundings = { terminal: stdout.isTTY, width: stdout.columns || 80, noColor, env };
  return shown(host, helpPage(help(path, node, isAsked), surroundings));
}

async function shown(host: Host, text: string): Promise<number> {
  await host.stdout.write(text);
  return exitCodes.done;
}

/** Runs the command; a dry run returns the planned request. */
async function outcomeOf(perform: () => Promise<CommandResult>, { dryRun }: Globals): Promise<CommandResult> {
  if (!dryRun) return perform();
  const { DryRunResult, curlLine } = await import('../client/dry-run.ts');
  try {
    return await perform();
  } catch (error) {
    if (!(error instanceof DryRunResult)) throw error;
    const { request } = error;
    return {
      data: request,
      text: () => curlLine(request),
      exit: 'done',
      changed: false,
      piped: 'json',
      isDryRun: true,
    };
  }
}

/** Prints items; a failed write becomes an error that a run can report. */
function emitting({ items }: Printer): Emit {
  return (all) =>
    items(all).catch((error: unknown) => {
      throw unwritable(error) ?? error;
    });
}

/** Completes the output of a list, also after a failure, so that it can be parsed. */
async function ended(perform: () => Promise<CommandResult>, { end }: Printer): Promise<CommandResult> {
  try {
    const outcome = await perform();
    await end();
    return outcome;
  } catch (error) {
    await end(true).catch(() => {});
    throw error;
  }
}

/** Prints and finishes the result; resolves to a failure that is not reported yet. */
async function printed(
  outcome: CommandResult,
  options: PrinterOptions,
  context: Pick<Context, 'note'>,
): Promise<CliError | undefined> {
  let [isPrinted, fault]: [boolean, CliError | undefined] = [false, undefined];
  try {
    await print(outcome, options, context);
    isPrinted = true;
  } finally {
    fault = await outcome.finish?.(isPrinted);
  }
  return outcome.exit instanceof CliError ? undefined : fault;
}

/** Prints the result. After a change, a result that does not fit the output options is printed whole. */
async function print(
  { data, text, changed, piped, first, exit, unprinted, isDryRun }: CommandResult,
  given: PrinterOptions,
  context: Pick<Context, 'note'>,
): Promise<void> {
  if (isDryRun && given.format === 'id')
    return context.note('no-id', 'nothing was sent, so there is no id; -o json shows the request');
  const options = { ...given, piped, first };
  try {
    await createPrinter(options).print(data, text);
  } catch (error) {
    const full = unwritable(error);
    if (full && unprinted !== undefined) throw keptElsewhere(full, exit, unprinted);
    if (full && changed) {
      const hint = `do not repeat it; the result: ${jsonText(data)}`;
      throw new CliError('unsure', full.code, `it was done, but ${full.message}`, { hint, done: 'unknown' });
    }
    if (!(error instanceof CliError && error.exit === 'usage' && changed)) throw error;
    context.note('not-as-asked', `${error.message}; showing the whole result`);
    const format = options.format === 'id' ? undefined : options.format;
    await createPrinter({ ...options, format, columns: undefined }).print(data, text);
  }
}

/** The command's own failure matters more than the failed write. */
function keptElsewhere(full: CliError, exit: CommandResult['exit'], hint: string): CliError {
  if (!(exit instanceof CliError) || exit.code === full.code)
    return new CliError(full.exit, full.code, full.message, { hint, cause: full });
  return new CliError(exit.exit, exit.code, `${exit.message}; and ${full.message}`, { hint, cause: full });
}
