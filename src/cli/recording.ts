import type { Entry, FaultAt, Writer } from '../activity/entry.ts';
import type { Counts, Facts } from '../activity/record.ts';
import type { Subject } from '../activity/subject.ts';
import type { Around } from '../client/change.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import { endpoints } from '../contract/endpoints.ts';
import { CliError } from '../errors.ts';
import { fileFault } from '../file-fault.ts';
import type { Approached, Line } from './calling.ts';

/** Writes down what changes something at the service, and keeps a live message from being sent twice unnoticed. */
export function recording(line: Line, approached: Approached): Around {
  return async (request, send, { allowUnsure = false }) => {
    const [{ subjectOf }, { came, cameToNothing }] = await Promise.all([
      import('../activity/subject.ts'),
      import('../activity/came.ts'),
    ]);
    const subject = subjectOf(request);
    const begin = await prepared(line, approached, { subject, allowUnsure });
    const begun: { entry?: Entry } = {};
    try {
      const answer = await send(async () => {
        begun.entry = await begin();
      });
      begun.entry?.end(came(answer));
      return answer;
    } catch (error) {
      begun.entry?.end(cameToNothing(error));
      throw subject.message ? withNextStep(error) : error;
    }
  };
}

export interface RunStarted extends Pick<Facts, 'run' | 'template'> {
  readonly name: EndpointName;
}

/** The same of a run: what is returned writes down what came of it. */
export async function recordRun(
  line: Line,
  approached: Approached,
  { name, ...run }: RunStarted,
): Promise<(counts: Counts) => void> {
  const [{ begin }, writer] = await Promise.all([import('../activity/entry.ts'), writerOf(line, approached, {})]);
  const { method, path: endpoint } = endpoints[name];
  const { host } = new URL(approached.target.baseUrl);
  const entry = begin(writer, { ...factsOf(line, approached), host, method, endpoint, ...run });
  return ({ rows, done, failed, unsure, unsent }) => {
    const counts = { rows, done, failed, unsure, unsent };
    entry.end({ outcome: unsure > 0 ? 'unsure' : done === rows ? 'done' : 'failed', counts });
  };
}

interface Call {
  readonly subject: Subject;
  readonly allowUnsure: boolean;
}

/** What writes that it leaves, once it does: one that is still waiting for its turn was surely not sent. */
async function prepared(line: Line, approached: Approached, { subject, allowUnsure }: Call) {
  const { message, ...about } = subject;
  const facts = { ...factsOf(line, approached), ...about };
  const writer = await writerOf(line, approached, subject);
  const digest = message && isLive(approached) ? await digestFor(writer, approached, message) : undefined;
  if (digest === undefined) {
    const { begin } = await import('../activity/entry.ts');
    return () => begin(writer, facts);
  }
  const [{ createOnce }, { guardOf }] = await Promise.all([import('../activity/once.ts'), import('./guarding.ts')]);
  const once = createOnce(writer, { ...facts, digest }, await guardOf(line, allowUnsure));
  await once.ask();
  return once.begin;
}

/** Every guard takes an unknown one for live. */
function isLive({ target: { mode } }: Approached): boolean {
  return mode !== 'sandbox';
}

function factsOf({ command }: Line, { target, simulated, isLocal }: Approached) {
  return { profile: isLocal ? 'local' : (target.profile ?? 'environment'), mode: target.mode, simulated, command };
}

async function writerOf(line: Line, approached: Approached, { message }: Pick<Subject, 'message'>): Promise<Writer> {
  const { host, given, reporter } = line;
  const [{ activityFolder }, { stateFolder }] = await Promise.all([import('../activity/files.ts'), line.sandboxes()]);
  const folder = activityFolder(stateFolder);
  let isTold = false;
  const onFault: Writer['onFault'] = (error, at) => {
    const fault = error instanceof CliError ? error.message : `cannot use ${folder}: ${reasonOf(error)}`;
    // What keeps a live message from being sent twice does not fail unheard.
    const isHeard = isLive(approached) || !given.quiet;
    if (!isTold && isHeard) reporter.note('activity', `${lack(approached, at)}: ${fault}`);
    isTold = true;
  };
  return { folder, hidden: { key: approached.target.key, phone: message?.to }, process: host, onFault };
}

function lack(approached: Approached, at: FaultAt): string {
  if (at === 'earlier') return 'whether the same was sent before cannot be told';
  if (at === 'ending') return 'bizmsg activity does not know what came of this';
  const risk = isLive(approached) ? ', so a second send of it is not noticed' : '';
  return `this is not in bizmsg activity${risk}`;
}

function reasonOf(error: unknown): string {
  const fault = fileFault(error);
  if (!fault) throw error;
  return fault.reason;
}

async function digestFor(writer: Writer, { target, isLocal }: Approached, message: NonNullable<Subject['message']>) {
  const [{ secretIn }, { digestOf }] = await Promise.all([
    import('../activity/secret.ts'),
    import('../activity/digest.ts'),
  ]);
  const address = isLocal ? 'local' : target.baseUrl.replace(/\/+$/, '');
  try {
    return await digestOf(await secretIn(writer.folder), { address, key: target.key }, message);
  } catch (error) {
    writer.onFault(error, 'earlier');
    return undefined;
  }
}

/** What to do about a message of which nobody knows whether it was sent. */
function withNextStep(error: unknown): unknown {
  if (!(error instanceof CliError) || error.done !== 'unknown') return error;
  const { exit, code, message, status, body, done, cause } = error;
  const next = 'bizmsg activity --since 10m shows what was sent from here; --allow-unsure sends it again';
  const hint = error.hint === undefined ? next : `${error.hint}\n${next}`;
  return new CliError(exit, code, message, { hint, status, body, done, cause });
}
