import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, exitCodes } from '../base/errors.ts';
import { statsOf } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { maskKey } from '../base/redact.ts';
import { damaged, failureOf, noSqlite } from '../base/sqlite-errors.ts';
import { integrityProblem } from '../base/sqlite.ts';
import { closing, query } from '../base/transaction.ts';
import { type Caller, currentCaller, optionalCaller, realAccount } from '../session/caller.ts';
import { refuseEarlyClock, refuseWrongClock } from '../session/clock.ts';
import { openConnection, prepareTarget } from '../session/connect.ts';
import { hasRecord, recordFile, refuseWithoutTeam, teamOf } from '../session/record-file.ts';
import { hasMark, openRecordFile, openTeamOf } from '../session/record.ts';
import type { CheckedTarget, Session } from '../session/session.ts';

type Name = 'node' | 'state' | 'profile' | 'service' | 'clock';

/** The result of one check. */
export interface Check {
  readonly name: Name;
  /** `skip`: it could not be checked. */
  readonly status: 'pass' | 'warn' | 'fail' | 'skip';
  readonly message: string;
  /** A command to run or a step to take. */
  readonly remedy: string | null;
  /** The exit code of a failure. */
  readonly exit?: number;
}

interface Diagnosis {
  readonly checks: readonly Check[];
  /** The exit code of the first failure, or 0. */
  readonly exit: number;
}

/** Checks what commands depend on. Changes nothing, and starts no sandbox. */
export async function diagnose(session: Session): Promise<Diagnosis> {
  const { host } = session;
  const profile = await profileCheck(session);
  const service = await serviceCheck(session, profile);
  const state = await stateCheck(session, profile.caller);
  const node = host.sqlite() ? pass('node', `${host.node}, with SQLite`) : failed('node', noSqlite());
  const checks = [node, state, profile.check, service.check, clockCheck(host, service.skew)];
  const first = checks.find(({ status }) => status === 'fail');
  return { checks, exit: first?.exit ?? exitCodes.done };
}

interface Profile {
  readonly check: Check;
  readonly caller?: Caller;
  /** Where its requests go; undefined if they must not, or if the sandbox is not running. */
  readonly target?: CheckedTarget | undefined;
}

/** Which profile and key would be used, and whether the key may go to its address. */
async function profileCheck(session: Session): Promise<Profile> {
  let caller: Caller | undefined;
  try {
    caller = currentCaller(session);
    const target = await targetOf(session, caller);
    return { check: keyCheck(caller, target), caller, target };
  } catch (error) {
    return { check: failed('profile', error), ...(caller && { caller }) };
  }
}

/** Starts no sandbox: undefined if none is running. */
async function targetOf(session: Session, caller: Caller): Promise<CheckedTarget | undefined> {
  if (caller.kind === 'service') return prepareTarget(session, caller);
  const running = await (await session.sandboxes()).find();
  const { mode } = caller;
  return running && prepareTarget(session, { kind: 'service', baseUrl: running.url, key: running.keys[mode], mode });
}

function keyCheck(caller: Caller, checked: CheckedTarget | undefined): Check {
  const name = nameOf(caller);
  if (!checked) return pass('profile', name);
  const { key, baseUrl, mode } = checked.target;
  const shown = `${name}: ${maskKey(key)} for ${baseUrl}`;
  if (mode !== 'unknown') return pass('profile', shown);
  return warn(
    'profile',
    `${shown}, which counts as a live key`,
    'check the key: it begins with neither sk_test_ nor sk_live_',
  );
}

function nameOf(caller: Caller): string {
  const { source } = caller;
  if (source === 'BIZMSG_API_KEY') return 'the key in BIZMSG_API_KEY';
  if (source === 'newcomer') return 'local, since there is no profile yet; bizmsg login adds one';
  const name = caller.kind === 'local' ? 'local' : (caller.profile ?? '');
  return source === 'profile in use' ? `${name}, the profile in use` : `${name}, named by ${source}`;
}

/** Failures that are not a fault of this machine or its profile: production shares the minute, and a key may be for sending alone. */
const passing: Readonly<Record<number, string>> = {
  403: 'fine for a key that only sends; otherwise check its scope and the plan',
  429: 'wait a minute; production and this share the minute of the plan',
};

interface Service {
  readonly check: Check;
  /** The milliseconds by which its clock is ahead, if its answer has a date. */
  readonly skew?: number | undefined;
}

/** Makes one GET, without retries. */
async function serviceCheck(session: Session, { caller, target }: Profile): Promise<Service> {
  if (!target) return { check: notAsked(caller) };
  const { host, given } = session;
  let skew: number | undefined;
  const onTime = (time: number) => {
    if (!Number.isNaN(time)) skew = time - host.now();
  };
  const once = { ...session, given: { ...given, retries: 0, timeout: given.timeout ?? 10_000 } };
  const start = host.steady();
  try {
    const connection = await openConnection(once, target, { onTime });
    await closing(connection, ({ client }) => client.call('listTemplates', undefined));
    const took = Math.round(host.steady() - start);
    return { check: pass('service', `${new URL(target.target.baseUrl).host} answered in ${took} ms`), skew };
  } catch (error) {
    const remedy = error instanceof CliError ? passing[error.status ?? 0] : undefined;
    const check = failed('service', error);
    if (remedy !== undefined) return { check: warn('service', check.message, remedy), skew };
    return { check: { ...check, remedy: check.remedy ?? 'does the base URL belong to the API?' }, skew };
  }
}

function notAsked(caller: Caller | undefined): Check {
  const isStopped = caller?.kind === 'local';
  return {
    name: 'service',
    status: 'skip',
    message: isStopped ? 'the sandbox is not running' : 'not asked: there is no key that may be sent',
    remedy: isStopped ? 'bizmsg sandbox start --background' : null,
  };
}

/** Whether the state folder is private and writable, and the record in it intact. */
async function stateCheck(session: Session, caller: Caller | undefined): Promise<Check> {
  let folder = '';
  try {
    folder = session.stateFolder();
    checkWritable(folder);
    await checkRecord(session, caller);
    return pass('state', folder);
  } catch (error) {
    return failed('state', failureOf(folder, error));
  }
}

/** Throws if a folder cannot be written, or created. */
function checkWritable(folder: string): void {
  let existing = folder;
  while (!statsOf(existing) && dirname(existing) !== existing) existing = dirname(existing);
  // The dot makes it an error if this is a file.
  accessSync(`${existing}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Reads the whole record of this machine, and asks that of the team; throws the error that a command would get. */
async function checkRecord(session: Session, caller: Caller | undefined): Promise<void> {
  await checkTeam(session, caller);
  if (caller?.kind === 'service' && teamOf(session, { caller, simulated: false }) === undefined)
    refuseWithoutTeam(session, realAccount(session.host.env, caller));
  if (!hasRecord(session, 'ledger') && !hasMark(session)) return;
  const record = await openRecordFile(session, 'ledger', 'read');
  const problem = await closing(record, ({ database }) => database.read(integrityProblem));
  if (problem !== undefined) throw damaged(recordFile(session, 'ledger'), problem);
}

async function checkTeam(session: Session, caller: Caller | undefined): Promise<void> {
  const team = await openTeamOf(session, caller, 'write');
  if (team) await closing(team, ({ database }) => database.read(() => query('SELECT 1')));
}

/** Milliseconds. Receivers usually accept signatures up to five minutes old. */
const tolerance = 30_000;

/** `skew`: the milliseconds by which the clock of the service is ahead, if its answer has a date. */
function clockCheck({ now }: Pick<Host, 'now'>, skew: number | undefined): Check {
  try {
    refuseEarlyClock(now());
    refuseWrongClock(skew);
  } catch (error) {
    return failed('clock', error);
  }
  if (skew === undefined) return pass('clock', 'no answer of the service to compare it with');
  if (Math.abs(skew) <= tolerance) return pass('clock', 'agrees with that of the service');
  const how = `${Math.round(Math.abs(skew) / 1_000)} s ${skew > 0 ? 'behind' : 'ahead of'} that of the service`;
  return warn('clock', how, 'synchronize the clock: webhook signatures depend on it');
}

function pass(name: Name, message: string): Check {
  return { name, status: 'pass', message, remedy: null };
}

function warn(name: Name, message: string, remedy: string): Check {
  return { name, status: 'warn', message, remedy };
}

/** A failure with the message, hint and exit code of an expected error; throws any other one. */
function failed(name: Name, error: unknown): Check {
  if (!(error instanceof CliError) || error.exit === 'interrupted') throw error;
  const { message, hint = null, exit } = error;
  return { name, status: 'fail', message, remedy: hint, exit: exitCodes[exit] };
}

/** Whether the record of this machine, or of the team, has lost something. */
export async function hasLoss(session: Session): Promise<boolean> {
  try {
    await checkTeam(session, optionalCaller(session));
    if (hasMark(session)) await (await openRecordFile(session, 'ledger', 'read')).close();
    return false;
  } catch (error) {
    if (error instanceof CliError && error.code === 'ledger-older') return true;
    throw error;
  }
}

export async function acceptLoss(session: Session): Promise<void> {
  await (await openTeamOf(session, optionalCaller(session), 'accept-loss'))?.close();
  if (hasMark(session)) await (await openRecordFile(session, 'ledger', 'accept-loss')).close();
}
