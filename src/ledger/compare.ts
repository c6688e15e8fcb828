import { hostIn } from '../base/liveness.ts';
import { type Draft, isFate, isSentNow } from './draft.ts';
import { digestSize, identitySize } from './identity.ts';
import { type Earlier, fateAt, type Note, type RunPlan, type SentBefore } from './ledger.ts';
import type { Presence } from './owners.ts';
import { type Beside, besideOf, isSameOccasion, isToSend, mayCount, termsOf } from './rules.ts';
import { isSingles, type Run } from './run.ts';
import { itemsOf } from './statements.ts';
import type { Store } from './store.ts';
import { countedOf, day, decisionOf, type Other } from './twice.ts';

/** The runs and processes as a command saw them when it decided. */
export interface Known {
  readonly here: Presence;
  readonly runs: readonly Run[];
}

interface Compared {
  readonly earlier: readonly Earlier[];
  readonly notes: readonly Note[];
}

/** Compares the rows with what others have of the same people. */
export async function compare(store: Store, plan: RunPlan, draft: Draft, known: Known): Promise<Compared | SentBefore> {
  const { world, tick } = known.here;
  const terms = termsOf(plan, draft.run, world);
  const [all, asked, held] = [createEarlier(), createEarlier(), createEarlier()];
  let [changed, recent] = [0, 0];
  for await (const [row, others] of foundElsewhere(store, plan, draft, known)) {
    const counted = countedOf(others, terms);
    const decision = decisionOf(draft.own(row), counted, terms);
    if (!counted) {
      if (others.some((other) => isOtherText(other, terms.now))) recent += 1;
    } else if (decision === 'ask' || decision === 'noted') {
      all.add(counted.latest);
      asked.add(counted.latest);
      if (!counted.latest.isSameText) changed += 1;
    } else if (isFate(decision) && !isSentNow(decision)) {
      draft.setFate(row, decision);
      draft.elsewhere.put(row, counted.latest);
      all.add(counted.latest);
      if (decision !== 'earlier') held.add(counted.latest);
    }
  }
  const { skipSent = draft.run?.skipSent, firstOfEach = skipSent !== undefined } = plan.choice;
  const conflicts = plan.mode === 'live' && !firstOfEach ? draft.counts.conflict : 0;
  const stop: SentBefore = {
    reason: 'sent-before',
    rows: asked.rows(),
    changed,
    recent,
    conflicts,
    earlier: asked.earlier(),
    tick,
  };
  if (conflicts > 0 || (asked.rows() > 0 && terms.asks)) return stop;
  const notes: Note[] = [];
  if (asked.rows() > 0) notes.push({ note: 'would-stop', stop });
  if (held.rows() > 0) notes.push({ note: 'held-back', rows: held.rows(), earlier: held.earlier() });
  return { earlier: all.earlier(), notes };
}

/** For the question: it does not count any more, and the recipient may remember it. */
function isOtherText({ state, isSameText, at }: Other, now: number): boolean {
  return state === 'done' && !isSameText && at > now - 30 * day;
}

/** Rows of an input that are looked up together. */
const lookUpSize = 256;

/** Each row to send of whose person and occasion others have something. */
async function* foundElsewhere(
  { database }: Store,
  plan: RunPlan,
  { run, fates: codes }: Draft,
  { runs, here: { world } }: Known,
): AsyncGenerator<readonly [row: number, others: readonly Beside[]]> {
  const { input, template } = plan;
  const isOther = (one: Run) => one.n !== run?.n && (isSingles(one.id) || one.template === template);
  const others = new Map(runs.filter((one) => isOther(one) && mayCount(one, plan)).map((one) => [one.n, one]));
  if (others.size === 0) return;
  for (let row = 0; row < input.count;) {
    const [people, rows] = [new Array<Uint8Array>(), new Map<string, number[]>()];
    for (let count = 0; row < input.count && count < lookUpSize; row++) {
      if (!isToSend(fateAt(codes, row))) continue;
      count += 1;
      const who = input.read(row).subarray(0, digestSize);
      const known = rows.get(keyOf(who));
      if (known) known.push(row);
      else rows.set(keyOf(who), [row]);
      if (!known) people.push(who);
    }
    const found = new Map<number, Beside[]>();
    for (const item of await database.read(() => itemsOf(people, run?.n ?? 0))) {
      const other = others.get(item.run);
      for (const one of (other && rows.get(keyOf(item.who))) ?? []) {
        const bytes = input.read(one);
        if (!other || !isSameOccasion({ item, run: other }, bytes.subarray(digestSize, identitySize))) continue;
        const beside = besideOf({ item, run: other }, bytes.subarray(identitySize), world);
        const known = found.get(one);
        if (known) known.push(beside);
        else found.set(one, [beside]);
      }
    }
    yield* found;
  }
}

function keyOf(who: Uint8Array): string {
  return Buffer.from(who.buffer, who.byteOffset, who.length).toString('latin1');
}

/** Adds up which runs have rows of an input. */
function createEarlier() {
  const found = new Map<Run, { at: number; rows: number; unsure: number }>();
  let rows = 0;
  return {
    add({ at, state, run }: Beside): void {
      rows += 1;
      const one = found.get(run) ?? { at: 0, rows: 0, unsure: 0 };
      const unsure = one.unsure + (state === 'unsure' ? 1 : 0);
      found.set(run, { at: Math.max(one.at, at), rows: one.rows + 1, unsure });
    },
    rows: () => rows,
    earlier: (): readonly Earlier[] =>
      [...found].map(([run, sum]) => ({ run: run.id, job: run.job, host: hostIn(run.start), ...sum })),
  };
}
