import { type CliError, configuration, usage } from '../base/errors.ts';
import { closing, type Database } from '../base/transaction.ts';
import { addressOf } from '../base/postgres-address.ts';
import { isDead, workerText } from '../base/worker.ts';
import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { counted } from '../cli/output/figures.ts';
import { flag } from '../cli/params.ts';
import { accountOf, currentCaller, variable } from '../session/caller.ts';
import { locate } from '../session/connect.ts';
import { configFolder } from '../session/folders.ts';
import { changeStore, withSettings } from '../session/profiles/changes.ts';
import { teamUrl } from '../session/profiles/fields.ts';
import { openTeamOf, openRecordFile } from '../session/record.ts';
import { forgetTeam, hasRecord, hasTeamMark, teamOf } from '../session/record-file.ts';
import { isWorking, scopeNumber } from '../store/batch.ts';
import { watched } from '../store/marks.ts';
import { accountsIn, copyAccount, type Moved, removeAccount } from '../store/move.ts';
import { listBatches } from '../store/views.ts';

const accepts = ['profile', 'mode', 'baseUrl', ...printOptions] as const;

const join = command({
  name: 'join',
  summary: 'Share batches, opt-outs and the rate limit with other machines',
  details: `Asks for the URL of a PostgreSQL database, such as postgres://bizmsg:PASSWORD@db.example.com/bizmsg, and
    keeps it in the profile like a key. Makes the tables if they are missing, and moves what this machine has of the
    account there: batches with all their rows, single messages and opt-outs. BIZMSG_TEAM names a team for one
    command.`,
  params: { urlStdin: flag('--url-stdin', 'read the URL from stdin') },
  examples: ['team join --profile acme --url-stdin < team.txt'],
  accepts,
  changes: true,
  run: async (context, { urlStdin }) => {
    const { account, profile } = await memberOf(context);
    const url = await urlFor(context, urlStdin);
    const moved = await moveTo(context, url, account);
    if (profile !== undefined)
      await changeStore(configFolder(context.host), (store) => withSettings(store, profile, { team: url }));
    await moved.end();
    noteOthers(context, moved.accounts, account);
    for (const { name, newName } of moved.batches)
      if (newName !== name)
        context.note('renamed', `the team has a batch ${name} already; the one from here is ${newName}`);
    return {
      team: addressOf(url).name,
      account,
      batches: moved.batches.length,
      messages: moved.messages,
      opt_outs: moved.optOuts,
    };
  },
  view: ({ team, account, batches, messages, opt_outs: optOuts }, ui) => {
    const moved = [
      counted(batches, 'batch', 'batches'),
      counted(messages, 'single message'),
      counted(optOuts, 'opt-out'),
    ];
    return `${ui.color.green('Joined')} ${team} · ${account}\n  moved there: ${moved.join(', ')}`;
  },
});

/** Machines that name an account differently would each message its people. */
function noteOthers(context: Context, accounts: readonly string[], account: string): void {
  if (accounts.length === 0 || accounts.includes(account)) return;
  const others = `the team sends for ${accounts.join(', ')}, and not yet for ${account}`;
  const hint = 'for the same business, use its name: bizmsg profiles set PROFILE --account';
  context.note('other-accounts', `${others}; ${hint}`);
}

/** The account of the caller, and its profile. */
async function memberOf(context: Context) {
  const caller = currentCaller(context);
  const target = caller.kind === 'service' ? await locate(context, caller) : undefined;
  if (caller.kind !== 'service' || !target || target.simulated)
    throw usage('the sandbox on this machine has no team', 'name the profile of an account: --profile NAME');
  return { target, account: accountOf(context.host.env, target), profile: caller.profile };
}

async function urlFor(context: Context, isOnStdin: boolean): Promise<string> {
  if (isOnStdin) return teamUrl(await context.stdin());
  const { BIZMSG_TEAM: text } = context.host.env;
  if (text !== undefined) return variable('BIZMSG_TEAM', text, teamUrl);
  return teamUrl(await context.askSecret('URL of the database', '--url-stdin', teamUrl));
}

/** Copies what this machine has. `end` removes it here, once the profile leads to the team. */
async function moveTo(context: Context, url: string, account: string) {
  const { host } = context;
  context.reporter.hide(url);
  const { openTeam, teamServer } = await import('../session/team-database.ts');
  return closing(await openTeam(context, url, account), async ({ database, mark }) => {
    const nothing: Moved = { batches: [], messages: 0, optOuts: 0 };
    const to = watched(database, mark, teamServer);
    const accounts = await accountsIn(to);
    const moved = await withLedger(context, nothing, (from) =>
      copyAccount({ from, to, account, now: host.now(), isDead: (worker) => isDead(worker, host) }),
    );
    // Another member must learn the name of the account, even if it has nothing yet.
    await to.write(() => scopeNumber({ account, mode: 'live', kind: 'message', template: '' }));
    return { ...moved, accounts, end: () => withLedger(context, undefined, (from) => removeAccount(from, account)) };
  });
}

async function withLedger<T>(context: Context, without: T, act: (ledger: Database) => Promise<T>): Promise<T> {
  if (!hasRecord(context, 'ledger')) return without;
  return closing(await openRecordFile(context, 'ledger'), ({ database }) => act(database));
}

const status = command({
  name: 'status',
  summary: 'Show the team of the profile, and which machines work',
  params: {},
  examples: ['team status --profile acme'],
  accepts,
  run: async (context) => {
    const { target, account } = await memberOf(context);
    const url = teamOf(context, target);
    const team = url === undefined ? undefined : await openTeamOf(context, target.caller, 'read');
    if (url === undefined || !team) throw noTeam();
    const batches = (await closing(team, ({ database }) => listBatches(database))).filter(
      ({ scope }) => scope.account === account,
    );
    const working = batches.filter((batch) => isWorking(batch, context.host.now()));
    return {
      team: addressOf(url).name,
      account,
      batches: batches.length,
      working: working.map(({ name, worker }) => ({ batch: name, process: workerText(worker) })),
    };
  },
  view: ({ team, account, batches, working }) =>
    [
      `${team} · ${account} · ${counted(batches, 'batch', 'batches')}`,
      ...working.map(({ batch, process }) => `${batch}  ${process}`),
    ].join('\n'),
});

const leave = command({
  name: 'leave',
  summary: 'Send without the team from now on',
  details: 'Batches and opt-outs stay in the database. This machine no longer knows whom the team has messaged.',
  params: {},
  examples: ['team leave --profile acme --yes'],
  accepts,
  changes: true,
  run: async (context) => {
    const { target, account, profile } = await memberOf(context);
    const isStored = 'team' in target.caller && target.caller.team !== undefined;
    if (!isStored && !hasTeamMark(context, account)) throw noTeam();
    await context.confirm('This machine will not know whom the team has messaged, nor its opt-outs. Leave it?');
    if (profile !== undefined)
      await changeStore(configFolder(context.host), (store) => withSettings(store, profile, { team: '' }));
    forgetTeam(context, account);
    if (context.host.env.BIZMSG_TEAM !== undefined) context.note('still-set', 'BIZMSG_TEAM is still set');
    return { account };
  },
  view: ({ account }, ui) => `${ui.color.green('Left')} the team of ${account}`,
});

function noTeam(): CliError {
  return configuration('no-team', 'there is no team', 'bizmsg team join makes or joins one; or set BIZMSG_TEAM');
}

export const teamCommands = [join, status, leave];
