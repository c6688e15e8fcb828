import type { Host } from './base/host.ts';

/** Runs the command line and returns its exit code. Version and top-level help load nothing else. */
export async function main(host: Host): Promise<number> {
  const alone = host.argv.length === 1 ? host.argv[0] : undefined;
  if (alone === '--version' || alone === '-V') return print(host, `${__VERSION__}\n`);
  const isHelp = alone === '--help' || alone === '-h' || host.argv.length === 0;
  // Built for 80 columns.
  if (__ROOT_HELP__ && isHelp && !isNarrow(host)) return print(host, __ROOT_HELP__);
  const [{ run }, { tree }] = await Promise.all([import('./cli/run.ts'), import('./commands/index.ts')]);
  return run(host, tree);
}

function isNarrow({ stdout }: Host): boolean {
  return stdout.isTTY && (stdout.columns || 80) < 80;
}

async function print(host: Host, text: string): Promise<number> {
  try {
    await host.stdout.write(text);
    return 0;
  } catch (error) {
    await host.stderr.write(
      `error: not all of the result could be written: ${error instanceof Error ? error.message : ''}\n`,
    );
    return 3;
  }
}
