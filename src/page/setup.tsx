import { maskKey } from '../base/redact.ts';
import { endpointNames } from '../contract/endpoints.ts';
import { eventNames, isEventName } from '../contract/events.ts';
import { planNames } from '../contract/plans.ts';
import type { InputOf } from '../sandbox/control/operations.ts';
import { ask, useAsked } from './ask.ts';
import { now } from './model.ts';
import { act, Copy } from './notice.tsx';

/** All that decides about a request: the plan, faults and keys. */
export function Setup() {
  return (
    <div class="place setup">
      <Plan />
      <Faults />
      <Keys />
    </div>
  );
}

/** The plan, and how much of its limits is used. */
function Plan() {
  const usage = useAsked(['usage', 'clock'], 'usage');
  if (!usage) return <section />;
  const { plan, minute, month } = usage;
  const isOver = minute.ends === null || now.value >= minute.ends;
  const set = (name: typeof plan.name) => act(() => ask('setPlan', { name, without: plan.without }));
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <div class="line" role="group" aria-label="Plan">
        {planNames.map((name) => (
          <button key={name} aria-pressed={name === plan.name} onClick={() => void set(name)}>
            {name}
          </button>
        ))}
      </div>
      <Gauge label="Requests in this minute" used={isOver ? 0 : minute.used} limit={minute.limit} />
      <Gauge label={`Messages in ${month.name}`} used={month.used} limit={month.limit} />
    </section>
  );
}

interface GaugeProps {
  readonly label: string;
  readonly used: number;
  /** Null without a limit; then nothing is counted. */
  readonly limit: number | null;
}

/** How much of a limit is used. */
function Gauge({ label, used, limit }: GaugeProps) {
  if (limit === null) return <p>{label}: no limit</p>;
  const isFull = used >= limit;
  const rest = isFull ? 'the next one is answered 429' : `${(limit - used).toLocaleString('en')} left`;
  const text = `${used.toLocaleString('en')} of ${limit.toLocaleString('en')}, ${rest}`;
  return (
    <p>
      <strong>{label}</strong> <span class={isFull ? 'is-bad' : 'note'}>{text}</span>
      <meter aria-label={label} aria-valuetext={text} max={limit} value={used} />
    </p>
  );
}

/** Errors on purpose. */
function Faults() {
  const faults = useAsked(['faults', 'usage', 'deliveries', 'clock'], 'faults') ?? [];
  return (
    <section aria-labelledby="faults">
      <h2 id="faults">Faults</h2>
      {faults.length === 0 && <p class="note">No faults: every valid request succeeds, every event is delivered.</p>}
      {faults.map(({ active, injected, times, ...fault }) => (
        <div key={fault.id} class="card" role="group" aria-label="Fault">
          <strong>{faultText({ ...fault, times: active && times !== undefined ? times - injected : times })}</strong>
          <p class="note">
            {active ? '' : 'over, '}hit {injected}
          </p>
          <button onClick={() => void act(() => ask('clearFaults', { fault: fault.id }))}>Clear</button>
        </div>
      ))}
      <div class="line" role="group" aria-label="Add a fault">
        {presets.map((fault) => (
          <button key={faultText(fault)} onClick={() => void act(() => ask('addFault', fault))}>
            {faultText(fault)}
          </button>
        ))}
      </div>
      <p class="note">
        All others: <code>bizmsg sandbox fault</code>
      </p>
    </section>
  );
}

type Fault = InputOf<'addFault'>;

const send = { on: ['sendTemplate'], times: 1 } as const;
const event = { on: eventNames, times: 1 } as const;

/** Errors on purpose that one click adds. `bizmsg sandbox fault` has all others. */
const presets: readonly Fault[] = [
  { ...send, effect: { kind: 'status', status: 500 } },
  { ...send, effect: { kind: 'status', status: 500 }, after: true },
  { ...send, effect: { kind: 'reset' }, after: true },
  { ...send, effect: { kind: 'hang' } },
  { ...send, effect: { kind: 'latency', ms: 5_000 } },
  { ...event, effect: { kind: 'delay', ms: 60_000 } },
  { ...event, effect: { kind: 'drop' } },
  { ...event, effect: { kind: 'duplicate' } },
  { ...event, effect: { kind: 'bad-signature' } },
];

const effects = {
  reset: 'connection lost',
  hang: 'no answer',
  drop: 'not delivered',
  duplicate: 'delivered twice',
  'bad-signature': 'invalid signature',
} as const;

/** Such as `Next 2 sends → sent, then 500`. */
function faultText({ on, effect, after, times }: Fault): string {
  const noun = nounOf(on);
  const which = times === undefined ? `Every ${noun}` : times === 1 ? `Next ${noun}` : `Next ${times} ${noun}s`;
  return `${which} → ${after ? 'sent, then ' : ''}${effectText(effect)}`;
}

function effectText(effect: Fault['effect']): string {
  if (effect.kind === 'status') return String(effect.status);
  if (effect.kind === 'latency') return `answered ${effect.ms / 1_000} s late`;
  return effect.kind === 'delay' ? `delivered ${effect.ms / 1_000} s late` : effects[effect.kind];
}

function nounOf(on: Fault['on']): string {
  if (on.join() === 'sendTemplate') return 'send';
  const [all, noun] = on.some(isEventName) ? [eventNames, 'event'] : [endpointNames, 'request'];
  return on.length === all.length ? noun : `${on.join(', ')} ${noun}`;
}

const tones = { active: 'good', inactive: 'plain', revoked: 'bad' } as const;

/** The keys of the API. */
function Keys() {
  const keys = useAsked(['keys'], 'keys') ?? [];
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      {keys.map(({ id, text, scope, state }) => (
        <div key={id} class="card" role="group" aria-label={maskKey(text)}>
          <code>{maskKey(text)}</code>
          <p class="note">
            {scope} · <span class={`is-${tones[state]}`}>{state}</span>
          </p>
          <Copy text={text}>Copy</Copy>
        </div>
      ))}
      <p class="note">
        New and revoked ones: <code>bizmsg sandbox set --help</code>
      </p>
    </section>
  );
}
