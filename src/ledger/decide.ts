import { endedWithRestart } from '../base/liveness.ts';
import { compare, type Known } from './compare.ts';
import { type Draft, draftOf, rowsIn } from './draft.ts';
import { hasDigest, identitySize, putRow, rowSize } from './identity.ts';
import { createInput } from './input.ts';
import type { Earlier, Note, RunPlan, Stop } from './ledger.ts';
import {
  abandonedRuns,
  bestOf,
  candidates,
  continuationStop,
  dueIn,
  hasItsPeople,
  isActive,
  isFitting,
  isPartOfRun,
  jobOf,
  type Share,
} from './rules.ts';
import type { Run } from './run.ts';
import { allRuns } from './statements.ts';
import { pagesOf, type Store } from './store.ts';

export interface Decided {
  readonly known: Known;
  readonly draft: Draft;
  readonly earlier: readonly Earlier[];
  readonly notes: readonly Note[];
  /** Runs that are closed now: they were idle for long, or this input has other texts for their people. */
  readonly closing: readonly Closing[];
}

export interface Closing {
  readonly run: Run;
  readonly why: 'closed' | 'replaced';
}

interface Stopped {
  readonly stop: Stop;
  readonly tick: number;
}

export async function decide(store: Store, plan: RunPlan): Promise<Decided | Stopped> {
  const known = await lookAround(store);
  const stopped = (stop: Stop): Stopped => ({ stop, tick: known.here.tick });
  const chosen = await chosenRun(store, plan, known);
  if ('reason' in chosen) return stopped(chosen);
  const { run, replaced } = chosen;
  const draft = await draftOf(store, plan, run, known.here);
  const { job, choice } = plan;
  const { changed } = draft.counts;
  if (job !== undefined && !choice.continue && changed > 0 && changed * 2 >= rowsIn(draft))
    return stopped({ reason: 'job-texts', job, rows: changed });
  const compared = await compare(store, plan, draft, known);
  if ('reason' in compared) return stopped(compared);
  const due = dueIn(draft);
  if (due > (choice.atMost ?? Infinity)) return stopped({ reason: 'too-many', rows: due });
  const restarted = restartedIn(draft, known);
  const notes = [...compared.notes, ...(restarted > 0 ? [{ note: 'restarted', rows: restarted } as const] : [])];
  const abandoned = abandonedRuns(known.runs, plan, known.here.world).filter(({ n }) => n !== run?.n);
  const closing = [
    ...abandoned.map((one): Closing => ({ run: one, why: 'closed' })),
    ...replaced.map((one): Closing => ({ run: one, why: 'replaced' })),
  ];
  return { known, draft, earlier: compared.earlier, notes, closing };
}

function lookAround({ database, lives }: Store): Promise<Known> {
  return database.read(function* () {
    const here = yield* lives.look();
    return { here, runs: yield* allRuns() };
  });
}

interface Chosen {
  /** The run or job that this command continues. */
  readonly run?: Run;
  /** Runs whose people get other texts now. */
  readonly replaced: readonly Run[];
}

async function chosenRun(store: Store, plan: RunPlan, { runs, here: { world } }: Known): Promise<Chosen | Stop> {
  const { job, mode, account, choice } = plan;
  const named = jobOf(runs, plan, world);
  if (named) return 'reason' in named ? named : { run: named, replaced: [] };
  const isBeside = choice.again === true && (choice.besides === true || plan.kind === 'contact');
  const open = candidates(runs, plan, world).filter((run) => !isBeside || (run.isAgain && job === undefined));
  // A new job repeats what a batch began only with a question.
  if (open.length === 0 || (job !== undefined && !choice.again)) return { replaced: [] };
  const shares: Share[] = [];
  for (const run of open) shares.push(await shareOf(store, run, plan, open.length === 1));
  const run = bestOf(shares.filter(isFitting), plan);
  if (run) return continuationStop(run, plan, world) ?? { run, replaced: [] };
  const others = shares.filter(hasItsPeople).filter(({ run }) => run.job === undefined && run.account === account);
  const latest = bestOf(others, plan);
  if (!latest || choice.again) return { replaced: [] };
  const isAsked = mode === 'live' && others.some(({ run }) => isActive(run, world));
  if (!isAsked) return { replaced: others.map(({ run }) => run) };
  if (!choice.continue) return { reason: 'other-texts', run: latest.id };
  return continuationStop(latest, plan, world) ?? { run: latest, replaced: [] };
}

/** How many people of a run occur in the input, and how many of them with the same text. */
async function shareOf({ database }: Store, run: Run, { input }: RunPlan, isAlone: boolean): Promise<Share> {
  const most = run.counts.planned + run.counts.leaving + run.counts.released + run.counts.done;
  const mostOfAll = most + run.counts.failed + run.counts.unsure;
  const [present, same, absent] = [new Set<number>(), new Set<number>(), createInput()];
  const bytes = new Uint8Array(rowSize);
  const share = () => ({ run, all: present.size + absent.count, found: present.size, same: same.size });
  for await (const items of pagesOf(database, run.n)) {
    for (const item of items) {
      if (!isPartOfRun(item)) continue;
      putRow(bytes, item);
      const person = input.latest(bytes, 0);
      if (person === undefined) {
        if (absent.latest(bytes, 0) === undefined) absent.add(bytes);
        continue;
      }
      present.add(person);
      const row = input.rowOf(bytes, 0) ?? person;
      if (hasDigest(input.bytes, item.text, row * rowSize + identitySize)) same.add(person);
    }
    // Reading the rest would change nothing.
    if (isAlone && same.size * 2 >= mostOfAll) return share();
    if (absent.count * 2 > mostOfAll || share().all > 2 * input.count) return { ...share(), found: 0 };
  }
  return share();
}

function restartedIn({ run, counts, unsureOf }: Draft, { here }: Known): number {
  if (!run || counts.unsure === 0) return 0;
  const restarted = here.owners.filter((one) => one.run === run.n && one.isDead && endedWithRestart(one.start));
  return restarted.reduce((sum, { id }) => sum + (unsureOf.get(id) ?? 0), 0);
}
