import type { Host } from './base/host.ts';

/*
 * Each folder of src is a room. It may import `contract`, `base` and the rooms listed here, types included; `base`
 * imports no other room. `test/architecture.test.ts` checks this.
 *
 * contract: none
 * delivery: none
 * client: none
 * logs: none
 * store: none
 * session: client, store, sandbox/remote
 * cli: client, session
 * batches: client, store, session, cli
 * webhooks: delivery, logs, store
 * sandbox: delivery
 * page: sandbox/control
 * doctor: session
 * commands: delivery, logs, store, session, cli, batches, webhooks, sandbox, doctor
 */

/** Runs the command line and returns its exit code. The version, and top-level help in a pipe, load nothing else. */
export async function main(host: Host): Promise<number> {
  const alone = host.argv.length === 1 ? host.argv[0] : undefined;
  if (alone === '--version' || alone === '-V') return print(host, `${__VERSION__}\n`);
  const isHelp = alone === '--help' || alone === '-h';
  // Built for a pipe.
  if (__ROOT_HELP__ && isHelp && !host.stdout.isTTY) return print(host, __ROOT_HELP__);
  const { tree } = await import('./commands/index.ts');
  if (host.argv[0] === '__complete')
    return print(host, (await import('./commands/completion.ts')).complete(host, tree));
  return (await import('./cli/run.ts')).run(host, tree);
}

async function print(host: Host, text: string | Promise<string>): Promise<number> {
  try {
    await host.stdout.write(await text);
    return 0;
  } catch (error) {
    return (await import('./cli/run.ts')).fail(host, error);
  }
}
