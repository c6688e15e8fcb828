import { endpointNames } from '../../contract/endpoints.ts';
import { planNames, plans } from '../../contract/plans.ts';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask, useAsked } from '../ask.ts';
import { useClock } from '../clock.tsx';
import { Form, numberIn } from '../form.tsx';
import { act } from '../notice.tsx';
import { partOf } from '../route.ts';
import { Parts } from '../table.tsx';
import { endpointText, timeText } from '../words.ts';
import { Faults } from './faults.tsx';
import { Keys } from './keys.tsx';

const parts = { limits: 'Limits and faults', keys: 'Keys and audit log' } as const;

/** All that decides about a request: the plan, faults and keys. */
export function Limits() {
  const { part, id } = partOf(parts);
  return (
    <div class="sheet">
      <Parts screen="limits" parts={parts} />
      <div class={`list ${part}`} tabIndex={0} role="region" aria-label={parts[part]}>
        {part === 'limits' && (
          <>
            <Usage />
            <Faults />
          </>
        )}
        {part === 'keys' && <Keys chosen={id} />}
      </div>
    </div>
  );
}

/** How much of the plan's limits is used, and the plan. */
function Usage() {
  const usage = useAsked(['usage', 'clock'], 'usage');
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

interface GaugeProps {
  readonly label: string;
  readonly used: number;
  /** Null without a limit; then nothing is counted. */
  readonly limit: number | null;
}

/** Where the limit is, in percent of the width. */
const line = 80;

/** How much of a limit is used, with the line where the answers become 429. */
function Gauge({ label, used, limit }: GaugeProps) {
  if (limit === null) {
    return (
      <p>
        <strong>{label}</strong> · no limit
      </p>
    );
  }
  const isFull = used >= limit;
  const rest = isFull ? 'the next one is answered 429' : `${(limit - used).toLocaleString('en')} left`;
  const text = `${used.toLocaleString('en')} of ${limit.toLocaleString('en')}, ${rest}`;
  return (
    <div class={`gauge ${isFull ? 'full' : ''}`}>
      <p class="top">
        <strong>{label}</strong>
        <span>{text}</span>
      </p>
      <svg
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={text}
      >
        <rect class="ground" width="100" height="10" />
        <rect class="used" width={Math.min(line, limit === 0 ? line : (used / limit) * line)} height="10" />
        <rect class="over" x={line} width={100 - line} height="10" />
        <line x1={line} x2={line} y1="0" y2="10" />
      </svg>
      <p class="scale" aria-hidden="true">
        <span style={{ marginInlineStart: `${line}%` }}>429</span>
      </p>
    </div>
  );
}

/** Limits and endpoints other than those of the plan. */
function PlanForm({ plan }: { readonly plan: OutputOf<'usage'>['plan'] }) {
  const { perMinute, perMonth } = plans[plan.name];
  const isOwn = plan.perMinute !== undefined || plan.perMonth !== undefined || plan.without.length > 0;
  const set = (given: FormData) => {
    const without = endpointNames.filter((name) => !given.has(name));
    const limits = { rate: numberIn(given, 'rate'), monthly: numberIn(given, 'monthly') };
    void act(() => ask('setPlan', { name: plan.name, ...limits, without }), 'The plan is set');
  };
  return (
    <details open={isOwn}>
      <summary>Other limits and endpoints</summary>
      <Form class="line" label="Other limits and endpoints" onGiven={set}>
        <label>
          Requests a minute
          <input name="rate" type="number" min="0" placeholder={limitText(perMinute)} defaultValue={plan.perMinute} />
        </label>
        <label>
          Messages a month
          <input name="monthly" type="number" min="0" placeholder={limitText(perMonth)} defaultValue={plan.perMonth} />
        </label>
        <fieldset>
          <legend>Endpoints of the plan</legend>
          {endpointNames.map((name) => (
            <label key={name} class="check">
              <input name={name} type="checkbox" defaultChecked={!plan.without.includes(name)} /> {endpointText(name)}
            </label>
          ))}
        </fieldset>
        <button type="submit">Set</button>
        {isOwn && (
          <button type="button" onClick={() => void act(() => ask('setPlan', { name: plan.name }), 'The plan is set')}>
            Use those of the plan
          </button>
        )}
      </Form>
    </details>
  );
}

function limitText(limit: number | undefined): string {
  return limit === undefined ? 'unlimited' : String(limit);
}
