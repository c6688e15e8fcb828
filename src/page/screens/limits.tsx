import { endpointNames } from '../../contract/endpoints.ts';
import { eventNames } from '../../contract/events.ts';
import { planNames, plans } from '../../contract/plans.ts';
import type { InputOf, OutputOf } from '../../sandbox/control/operations.ts';
import { act, useAsked } from '../asked.ts';
import { ask } from '../connection.ts';
import { Table } from '../table.tsx';

/** The plan, faults and keys. */
export function Limits() {
  return (
    <div class="list">
      <Plan />
      <Faults />
      <Keys />
    </div>
  );
}

function Plan() {
  const usage = useAsked('usage', 'usage').value;
  const plan = usage?.plan;
  return (
    <>
      <h2>Plan</h2>
      {usage && <Gauge label="Requests in this minute" {...usage.minute} />}
      {usage && <Gauge label={`Messages in ${usage.month.name}`} {...usage.month} />}
      <p class="tools">
        {planNames.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === plan?.name}
            onClick={() => void act(() => ask('setPlan', { name, without: plan?.without }), `The plan is ${name}`)}
          >
            {name}
          </button>
        ))}
        <span class="preview">{plan && limitsText(plan)}</span>
      </p>
      {usage && (
        <p class="tools">
          <button type="button" onClick={() => void act(() => leaveOne(usage), 'One more request is answered')}>
            Make the next request the last one
          </button>
        </p>
      )}
    </>
  );
}

interface GaugeProps {
  readonly label: string;
  readonly used: number;
  /** Null without a limit; then nothing is counted. */
  readonly limit: number | null;
}

function Gauge({ label, used, limit }: GaugeProps) {
  if (limit === null) return <p>{label}: no limit</p>;
  const rest = used >= limit ? 'the next one is answered 429' : `${(limit - used).toLocaleString('en')} left`;
  return (
    <p>
      <label>
        {label} <meter min={0} max={limit} high={limit * 0.9} optimum={0} value={Math.min(used, limit)} />
      </label>{' '}
      {used.toLocaleString('en')} of {limit.toLocaleString('en')}, {rest}
    </p>
  );
}

/** Lowers the rate of the plan, so that only one more request is answered in this minute. */
function leaveOne({ plan: { name, perMonth, without }, minute }: OutputOf<'usage'>) {
  return ask('setPlan', { name, rate: minute.used + 1, monthly: perMonth, without });
}

function limitsText({ name, perMinute = plans[name].perMinute, perMonth = plans[name].perMonth }: PlanSetting): string {
  const text = (limit: number | undefined) => limit?.toLocaleString('en') ?? 'any number of';
  return `${text(perMinute)} requests a minute, ${text(perMonth)} messages a month`;
}

type PlanSetting = OutputOf<'usage'>['plan'];
type Fault = OutputOf<'faults'>[number];
type NewFault = InputOf<'addFault'>;

const answerKinds = ['status 500', 'status 429', 'latency', 'reset', 'hang', 'truncate', 'garbage'];
const eventKinds = ['delay', 'drop', 'duplicate', 'bad-signature', 'stale-timestamp'];

function Faults() {
  const faults = useAsked('faults', 'faults').value ?? [];
  return (
    <>
      <h2>Faults</h2>
      <FaultForm />
      <Table
        label="Faults"
        rows={faults}
        keyOf={({ id }) => id}
        empty="No faults. A fault makes requests or deliveries fail, to test what your program does then."
        columns={[
          { title: 'On', cell: ({ on }) => on.join(', ') },
          { title: 'Effect', cell: effectText },
          { title: 'Rate', cell: ({ rate }) => `${Math.round(rate * 100)} %` },
          {
            title: 'Hits',
            cell: ({ injected, times }) => (times === undefined ? injected : `${injected} of ${times}`),
          },
          { title: 'State', cell: ({ active }) => (active ? 'active' : 'expired') },
          {
            title: 'Change',
            cell: ({ id }) => (
              <button type="button" onClick={() => void act(() => ask('clearFaults', { fault: id }), 'Cleared')}>
                Clear
              </button>
            ),
          },
        ]}
      />
    </>
  );
}

function effectText({ effect, after }: Fault): string {
  const value = 'status' in effect ? ` ${effect.status}` : 'ms' in effect ? ` ${effect.ms} ms` : '';
  return `${effect.kind}${value}${after ? ', after the request was carried out' : ''}`;
}

function FaultForm() {
  const add = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    void act(() => ask('addFault', newFault(given)), 'Added');
  };
  return (
    <form class="tools" onSubmit={add}>
      <label>
        On{' '}
        <select name="on">
          {[...endpointNames, ...eventNames].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Effect{' '}
        <select name="kind">
          {[...answerKinds, ...eventKinds].map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </label>
      <label>
        Times <input name="times" type="number" min="1" defaultValue="1" required />
      </label>
      <button type="submit">Add fault</button>
    </form>
  );
}

/** The sandbox checks the values. */
function newFault(given: FormData): NewFault {
  const on = [...endpointNames, ...eventNames].filter((name) => name === given.get('on'));
  return { on, effect: effectOf(given.get('kind')), times: Number(given.get('times')) };
}

function effectOf(chosen: FormDataEntryValue | null): NewFault['effect'] {
  const kind = typeof chosen === 'string' ? chosen : '';
  switch (kind) {
    case 'latency':
    case 'delay':
      return { kind, ms: 5_000 };
    case 'reset':
    case 'hang':
    case 'truncate':
    case 'garbage':
    case 'drop':
    case 'duplicate':
    case 'bad-signature':
    case 'stale-timestamp':
      return { kind };
    default:
      return { kind: 'status', status: Number(kind.replace('status ', '')) };
  }
}

function Keys() {
  const keys = useAsked('keys', 'keys').value ?? [];
  return (
    <>
      <h2>Keys</h2>
      <Table
        label="Keys"
        rows={keys}
        keyOf={({ id }) => id}
        empty="No keys."
        columns={[
          { title: 'Key', cell: ({ text }) => <code>{shortened(text)}</code> },
          { title: 'Mode', cell: ({ mode }) => mode },
          { title: 'Scope', cell: ({ scope }) => scope },
          { title: 'State', cell: ({ state }) => state },
          {
            title: 'Change',
            cell: ({ id, text, state }) =>
              state !== 'revoked' && (
                <button type="button" onClick={() => void revoke(id, text)}>
                  Revoke
                </button>
              ),
          },
        ]}
      />
    </>
  );
}

/** It cannot be undone. */
async function revoke(key: string, text: string): Promise<void> {
  if (confirm(`Revoke ${shortened(text)}? Requests with it are then answered 401.`))
    await act(() => ask('revokeKey', { key }), 'Revoked');
}

function shortened(key: string): string {
  return `${key.slice(0, 8)}…${key.slice(-4)}`;
}
