import type { Ui } from '../../cli/command.ts';
import { cell } from '../../cli/output/rows.ts';
import type { Sandbox } from '../../sandbox/interface.ts';
import type { Happened, HappenedEvent } from '../../sandbox/rows.ts';
import { requestLine, subjectOf } from './lines.ts';

/** The lines that a sandbox in the foreground prints as things happen. */
export type Live = Happened | { readonly type: 'left-out'; readonly count: number };

/** Nobody reads more lines than this together. */
const most = 1_000;

/** Yields what happens until the end; counts what it cannot keep up with. */
export async function* liveItems(
  sandbox: Pick<Sandbox, 'watch'>,
  end: Promise<unknown>,
): AsyncGenerator<readonly Live[], void> {
  let waiting: Live[] = [];
  let [leftOut, isOver] = [0, false];
  let wake = () => {};
  sandbox.watch((happened) => {
    if (isOver) return;
    if (waiting.length < most) waiting.push(happened);
    else leftOut += 1;
    wake();
  });
  const stop = () => {
    isOver = true;
    wake();
  };
  void end.then(stop);
  for (;;) {
    if (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
    if (waiting.length === 0) return;
    const items: readonly Live[] = leftOut > 0 ? [...waiting, { type: 'left-out', count: leftOut }] : waiting;
    [waiting, leftOut] = [[], 0];
    yield items;
  }
}

export function liveLine(item: Live, ui: Ui): string {
  if (item.type === 'request') return requestLine(item, ui);
  if (item.type === 'event') return eventLine(item, ui);
  return ui.color.dim(`… ${item.count} more; bizmsg sandbox requests and sandbox deliveries list them`);
}

function eventLine({ event: { type, at, data }, delivery }: HappenedEvent, ui: Ui): string {
  const time = ui.time(new Date(at).toISOString());
  const result = delivery ? outcome(delivery, ui) : [ui.color.dim('no webhook')];
  return ui.line([time, ui.color.bold(type), cell(subjectOf(data)), ...result]);
}

function outcome(delivery: NonNullable<HappenedEvent['delivery']>, ui: Ui): readonly string[] {
  const { state, last, url, attempts, next_at: next } = delivery;
  const took = attempts.at(-1)?.took;
  const result = `→ ${cell(last ?? state)}${took === undefined ? '' : ` in ${took} ms`}`;
  const more = next === null ? (state === 'dead' ? ['given up'] : []) : [`again at ${ui.time(next)}`];
  return [(state === 'delivered' ? ui.color.green : ui.color.red)(result), url ?? '', ...more];
}
