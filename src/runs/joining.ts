import { unsafe } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { identitySize } from '../ledger/identity.ts';
import { fateAt, type Ledger, type RunPlan } from '../ledger/ledger.ts';
import { isSingles } from '../ledger/run.ts';
import { teamLine } from '../session/team-server.ts';
import type { Running } from './action.ts';
import type { Mapper } from './input/row.ts';
import { placesOf, runsOf, withLedger } from './listing.ts';
import { preflight } from './preflight.ts';

/** Throws if the line of a team is wrong, or if this machine would forget an unfinished run by joining. */
export async function checkJoining(context: Context, line: string, isFirst: boolean): Promise<void> {
  teamLine(line);
  const { stateFolder, host, note } = context;
  const runs = isFirst ? await runsOf({ stateFolder: stateFolder(), host, note }) : [];
  const open = runs.find(({ status, place }) => place === 'own' && (status === 'running' || status === 'unfinished'));
  if (open)
    throw unsafe(
      'run-unfinished',
      `run ${open.id} of this machine is unfinished, and the team does not know it`,
      `send its rest first, or give it up: bizmsg runs close ${open.id}`,
    );
  await context.team(line);
}

const month = 30 * 86_400_000;

/**
 * A mapper that leaves out who got the template of a live batch from this machine before it joined the team, if anybody
 * did. Throws unless the user has decided about them.
 */
export async function withoutOwn(running: Running, plan: RunPlan): Promise<Mapper | undefined> {
  const { context, opened } = running;
  const { host, note } = context;
  const home = { stateFolder: context.stateFolder(), host, note };
  if (plan.choice.again || !(await placesOf(home)).includes('own')) return undefined;
  const known = (await opened.ledger.runs()).find(
    ({ template, job, isClosed, hasEnded }) =>
      template === plan.template && job === plan.job && !isClosed && (job !== undefined || !hasEnded),
  );
  if (known?.isAgain) return undefined;
  return withLedger(home, 'own', async (ledger) => {
    const sent = (await ledger.runs()).filter(
      ({ id, mode, kind, template, lastAt, counts }) =>
        (template === plan.template || isSingles(id)) &&
        mode === 'live' &&
        kind === 'message' &&
        lastAt > host.now() - month &&
        counts.done + counts.unsure > 0,
    );
    const [latest] = sent.toReversed();
    if (!latest) return undefined;
    const { skipSent = known && month } = plan.choice;
    const own = { ...plan, account: latest.account, choice: { skipSent } };
    if (skipSent !== undefined) return excluding(running, own, ledger);
    const message = `this machine sent ${plan.template} before it joined the team, last at ${new Date(latest.lastAt).toISOString()}`;
    const hint = 'nothing was sent; --skip-sent leaves out the people who got it; --again sends to all';
    throw unsafe('sent-before', message, hint);
  });
}

async function excluding({ input, mapper, action, signals }: Running, plan: RunPlan, ledger: Ledger): Promise<Mapper> {
  const digest = (row: Parameters<typeof action.digest>[0]) => action.digest(row, ledger.secret);
  const { digests } = await preflight({ source: input.source, mapper, digest, signal: signals.stop });
  const { job: _, ...rest } = plan;
  const registered = await ledger.register({ ...rest, input: digests, isRehearsal: true });
  const keyOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, identitySize)).toString('hex');
  const sent = new Set<string>();
  for (let row = 0; row < digests.count && !registered.stop; row++)
    if (!['due', 'later', 'retry', 'duplicate'].includes(fateAt(registered.fates, row)))
      sent.add(keyOf(digests.read(row)));
  return {
    ...mapper,
    isExcluded: (mapped) => mapper.isExcluded?.(mapped) || sent.has(keyOf(digest(mapped))),
  };
}
