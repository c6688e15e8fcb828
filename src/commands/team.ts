import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { argument, flag } from '../cli/params.ts';
import { CliError, usage } from '../base/errors.ts';

export const newTeam = command({
  name: 'new',
  summary: 'Set up a new team on a server, and print its URL',
  details: [
    'The machines of a team share one ledger and one rate limit on a Valkey or Redis server, so no machine sends',
    'what another has sent. The URL has the secret that all of them need. It is printed once: store it where',
    'you store keys, then in a profile on each machine, or in BIZMSG_TEAM.',
  ].join('\n'),
  params: {
    server: argument('[url]', 'redis://host:6379, or rediss:// for TLS'),
    urlStdin: flag('--url-stdin', 'read the address from stdin, for one with a password'),
  },
  examples: ['team new redis://10.0.0.5:6379'],
  sample: 'redis://10.0.0.5:6379#…',
  accepts: printOptions,
  piped: 'text',
  run: async (context, { server, urlStdin }) => {
    if (urlStdin && server !== undefined) throw usage('--url-stdin and an address contradict each other', 'give one');
    const { hasPassword, newTeam: create, readServer } = await import('../session/team.ts');
    const typed = urlStdin
      ? await context.stdin()
      : (server ?? (await context.askSecret("Address of the team's server", '--url-stdin', readServer)));
    const url = create(typed);
    if (server !== undefined && hasPassword(server))
      context.note(
        'password-in-arguments',
        'other users of this machine can see a password on the command line: use --url-stdin, and change it',
      );
    context.note(
      'team-new',
      'this URL is shown once; on each machine: bizmsg profiles set NAME --team-stdin, or set BIZMSG_TEAM',
    );
    await setUp(context, url);
    return { url };
  },
  view: ({ url }) => url,
});

/** Milliseconds to wait for a server that may not be reachable from here. */
const patience = 2_000;

/** Tells the server that the team exists. One that is unfit is reported now, not when the first message is sent. */
async function setUp(context: Context, url: string): Promise<void> {
  const [{ openRedis }, { readHealth, unfitnessOf }, { setUpTeam }, { readTeam }] = await Promise.all([
    import('../base/redis.ts'),
    import('../ledger/redis/health.ts'),
    import('../ledger/redis/server.ts'),
    import('../session/team.ts'),
  ]);
  const { address, secret, shown } = readTeam(url);
  const redis = openRedis({ address, connectTimeout: patience, replyTimeout: patience });
  try {
    await setUpTeam(redis, secret);
    for (const { what, hint } of unfitnessOf(await readHealth(redis)))
      context.note('team-unfit', `${shown} ${what}; before you send live messages, ${hint}`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.note(
      'team-not-set-up',
      `the server was not set up, so the first command of the team needs --accept-loss: ${error.message}`,
    );
  } finally {
    redis.close();
  }
}

export const teamCommands = [newTeam];
