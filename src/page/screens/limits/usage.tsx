import { planNames } from '../../../contract/plans.ts';
import { act, useAsked } from '../../asked.ts';
import { useClock } from '../../clock.tsx';
import { ask } from '../../connection.ts';
import { timeText } from '../../time.ts';
import { Gauge } from './gauge.tsx';
import { PlanForm } from './plan-form.tsx';

/** How much of the plan's limits is used, and the plan. */
export function Usage() {
  const usage = useAsked(['usage', 'clock'], 'usage').value;
  const clock = useClock();
  if (!usage || !clock) return <p class="empty">Loading</p>;
  const { plan, minute, month } = usage;
  const isOver = minute.ends === null || clock.now >= minute.ends;
  const ends = isOver ? 'The next request starts the minute.' : `The minute ends at ${timeText(minute.ends ?? 0)}.`;
  return (
    <section>
      <h2>Plan and limits</h2>
      <div class="actions" role="group" aria-label="Plan">
        {planNames.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === plan.name}
            onClick={() => void act(() => ask('setPlan', { name, without: plan.without }), `The plan is ${name}`)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="pair">
        <div>
          <Gauge label="Requests in this minute" used={isOver ? 0 : minute.used} limit={minute.limit} />
          {minute.limit !== null && (
            <p class="preview">
              {ends} {clock.frozen && !isOver && 'The clock is frozen: “+1 min” ends it.'}
            </p>
          )}
          <button type="button" onClick={() => void act(leaveOne, 'One more request is answered, then 429')}>
            Make the next request the last one
          </button>
        </div>
        <div>
          <Gauge label={`Messages in ${month.name}`} used={month.used} limit={month.limit} />
          <p class="preview">The calendar month in UTC.</p>
        </div>
      </div>
      <PlanForm key={JSON.stringify(plan)} plan={plan} />
    </section>
  );
}

/** Lowers the rate of the plan, so that only one more request is answered in this minute. */
async function leaveOne(): Promise<void> {
  const { plan, minute } = await ask('usage');
  await ask('setPlan', { name: plan.name, rate: minute.used + 1, monthly: plan.perMonth, without: plan.without });
}
