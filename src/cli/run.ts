import { CliError, exitCodes, usage } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { redact } from '../base/redact.ts';
import { createUi, narrowed } from './output/ui.ts';
import { checkValues, locate, wantsJson } from './argv.ts';
import type { Command, Outcome } from './command.ts';
import type { Group, Tree } from './tree.ts';
import { createContext } from './context.ts';
import { createReporter, failed, failedInTheEnd, type Reporter, signalExit } from './output/reporter.ts';
import { type Globals, globals, refused } from './globals.ts';
import { help } from './help.ts';
import { longName, readInput } from './params.ts';
import { emitting, ended, outcomeOf, print } from './outcome.ts';
import { createPrinter, type PrinterOptions } from './output/printer.ts';
import { parse } from './program.ts';
import { compileQuery } from './output/query.ts';

/** One command line from words to exit code: here every failure ends. */
export async function run(host: Host, tree: Tree): Promise<number> {
  const reporter = createReporter({ stderr: host.stderr, json: wantsJson(host.argv), redact });
  try {
    const exit = await perform(host, tree, reporter);
    if (exit instanceof CliError) return failedInTheEnd(exit, host.signal, reporter);
    return typeof exit === 'number' ? exit : exitCodes[exit];
  } catch (error) {
    return failed(error, host.signal, reporter);
  }
}

async function perform(host: Host, tree: Tree, reporter: Reporter): Promise<Outcome['exit']> {
  const { path, node, rest } = await locate(tree, host.argv);
  if (node.kind !== 'command') {
    if (!rest.some((word) => word === '--help' || word === '-h') && host.argv.length > 0) throw wordMissing(path, node);
    return shown(host, help(path, node));
  }
  const params = { ...node.params, ...globals };
  checkValues(rest, params);
  const texts = await parse({ path, node, params, argv: rest });
  const given = readInput(globals, texts);
  if (given.help) return shown(host, help(path, node));
  checkGlobals(path, node, given);
  const { checkEnvironment } = await import('../session/profiles/environment.ts');
  checkEnvironment(host.env);
  const query = given.query === undefined ? undefined : await compileQuery(given.query);
  const command = path.slice(1).join(' ');
  const context = createContext({ host, given, reporter, command, helpFor: (words) => helpFor(tree, words) });
  const ui = await createUi(surroundings(host, given), () => context.simulated());
  const options: PrinterOptions = {
    out: host.stdout,
    ui,
    format: given.json ? 'json' : given.output,
    piped: given.dryRun ? 'json' : node.piped,
    columns: given.columns,
    header: !given.noHeader,
    rawFormulas: given.rawFormulas,
    marks: mayReachTerminal(host),
    query,
    lists: node.lists,
    clean: reporter.clean,
    note: context.note,
  };
  let outcome: Outcome | undefined;
  try {
    const printer = createPrinter(options);
    const ran = () => outcomeOf(() => node.run(context, texts, emitting(printer)), given);
    const isList = node.lists && !given.dryRun;
    outcome = isList ? await ended(ran, printer) : await ran();
    if (!isList) await print(outcome, options, context);
    return exitOf(outcome, host);
  } finally {
    const { unprinted } = host.stdout;
    if (unprinted.bytes > 0)
      (await import('./output/printer.ts')).noteUnprinted(unprinted, reporter, outcome?.unprinted);
    await context.close();
  }
}

/** A result that was cut off is not a success, unless it is kept elsewhere. */
function exitOf({ exit, unprinted: kept }: Outcome, { stdout, signal }: Host): Outcome['exit'] {
  const isCutOff = stdout.unprinted.bytes > 0 && kept === undefined;
  return isCutOff && exit === 'done' ? signalExit(signal.reason) : exit;
}

/** The reader of a pipe may print to the terminal, as that of head does. */
function mayReachTerminal({ stdout, stderr }: Host): boolean {
  return stderr.isTTY && !stdout.isFile;
}

function checkGlobals(path: readonly string[], node: Command, given: Globals): void {
  if (given.json && given.output !== undefined && given.output !== 'json') {
    throw usage(`--json and -o ${given.output} exclude each other`);
  }
  const name = refused(given, node.honours);
  if (name) throw usage(`${path.join(' ')} cannot honour ${longName(globals[name])}`, 'leave it out');
}

function wordMissing(path: readonly string[], { children }: Group | Tree): CliError {
  const names = children.map(({ name }) => name).join(', ');
  return usage(`${path.join(' ')} needs one of its commands`, `they are ${names}`);
}

function surroundings(host: Host, given: Globals) {
  const { stdout, env, now } = host;
  return {
    marks: mayReachTerminal(host),
    terminal: stdout.isTTY,
    // A terminal of no size says 0, and any may get another one.
    get width() {
      return stdout.columns || 80;
    },
    noColor: given.noColor,
    env,
    now,
  };
}

async function helpFor(tree: Tree, words: readonly string[]): Promise<string> {
  const { path, node } = await locate(tree, words);
  return help(path, node);
}

async function shown(host: Host, text: string): Promise<number> {
  await host.stdout.write(narrowed(text, host.stdout.columns));
  return exitCodes.done;
}
