import { configuration, forOption, usage } from '../base/errors.ts';
import { currentTeam } from '../session/team.ts';
import { postgresAddress, shownAddress } from '../base/postgres-address.ts';
import { command } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { flag, required } from '../cli/params.ts';

const initTeam = command({
  name: 'init',
  summary: "Create a team's tables in a PostgreSQL database, and print the team's line",
  details: [
    'The line is the URL and a secret, without which nobody can tell from the database who was messaged. It is printed',
    'once, and each machine of the team needs it: bizmsg profiles set NAME --team-stdin keeps it like a key. If the',
    'tables exist, nothing changes.',
  ].join('\n'),
  params: {
    url: required('<database>', 'the URL of the database, such as postgres://bizmsg@db.example.com/bizmsg'),
    password: flag('--password-stdin', 'read the password of the database from stdin'),
  },
  examples: [
    'team init postgres://bizmsg@db.example.com/bizmsg',
    'team init postgres://bizmsg@db.example.com/bizmsg --password-stdin < password.txt',
  ],
  sample: 'postgres://bizmsg@db.example.com/bizmsg#6b1f…',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { url, password: isGiven }) => {
    const given = forOption('<database>', () => postgresAddress(url));
    if (given.password !== '')
      throw usage('other users of this machine can read a password in arguments', 'use --password-stdin');
    const password = isGiven ? (await context.stdin()).trim() : '';
    const { createTeamTables } = await import('../session/team-ledger.ts');
    const secret = await createTeamTables({ ...given, password }, context.host);
    const line = new URL(url);
    if (password !== '') line.password = encodeURIComponent(password);
    return { server: shownAddress(given), line: secret === undefined ? null : `${line.href}#${secret}` };
  },
  view: ({ server, line }) => line ?? `The tables at ${server} exist; another machine of the team has its line`,
});

const status = command({
  name: 'status',
  summary: "Show the team's server, and its machines with rows in flight",
  params: {},
  examples: ['team status', 'team status --profile acme -o json'],
  sample: 'server: db.example.com:5432/bizmsg\nversion: 15.6\nlatency ms: 1.2\nmachines: web1 (1 process, 16 rows)\n…',
  accepts: ['profile', ...printOptions],
  piped: 'text',
  run: async (context) => {
    const team = await currentTeam(context);
    if (!team)
      throw configuration(
        'no-team',
        'there is no team',
        'bizmsg team init makes one; profiles set --team-stdin joins it',
      );
    const { statusOf } = await import('../session/team-status.ts');
    return statusOf(team, context.host.steady);
  },
  view: (found) =>
    Object.entries(found)
      .map(
        ([name, value]) =>
          `${name.replaceAll('_', ' ')}: ${typeof value === 'object' ? value.join(', ') || 'none' : value}`,
      )
      .join('\n'),
});

export const teamCommands = [initTeam, status];
