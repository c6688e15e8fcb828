import { useSignal } from '@preact/signals';
import { type EndpointName, endpointNames } from '../../contract/endpoints.ts';
import { type EventName, eventNames, isEventName } from '../../contract/events.ts';
import type { InputOf, OutputOf } from '../../sandbox/control/operations.ts';
import { ask, useAsked } from '../ask.ts';
import { Form, numberIn } from '../form.tsx';
import { act } from '../notice.tsx';
import { Table } from '../table.tsx';
import { answerEffects, type EffectKind, effectText, endpointText, eventEffects, timeText } from '../words.ts';

type Fault = OutputOf<'faults'>[number];
type NewFault = InputOf<'addFault'>;

/** Of the next message. */
const presets: readonly { readonly title: string; readonly fault: Omit<NewFault, 'on' | 'times'> }[] = [
  { title: 'Next message: 500', fault: { effect: { kind: 'status', status: 500 } } },
  { title: 'Next message: sent, but the answer is lost', fault: { effect: { kind: 'reset' }, after: true } },
  { title: 'Next message: no answer', fault: { effect: { kind: 'hang' } } },
];

/** Errors on purpose. */
export function Faults() {
  const faults = useAsked(['faults', 'usage', 'deliveries', 'clock'], 'faults') ?? [];
  return (
    <section>
      <h2>Faults</h2>
      <div class="actions">
        {presets.map(({ title, fault }) => (
          <button key={title} type="button" onClick={() => void addFault({ ...fault, on: ['sendTemplate'], times: 1 })}>
            {title}
          </button>
        ))}
        {faults.length > 0 && (
          <button type="button" onClick={() => void act(() => ask('clearFaults'), 'All faults are cleared')}>
            Clear all
          </button>
        )}
      </div>
      <FaultForm />
      <Table
        label="Faults"
        rows={faults}
        keyOf={({ id }) => id}
        empty="No faults: every valid request succeeds, and every event is delivered."
        columns={[
          { title: 'On', cell: ({ on }) => targetText(on) },
          { title: 'Effect', cell: ({ effect, after }) => effectText(effect) + (after ? afterText : '') },
          { title: 'Share', class: 'number', cell: ({ rate }) => `${Number((rate * 100).toPrecision(6))}%` },
          { title: 'Hits', class: 'number', cell: ({ injected, matched }) => `${injected} of ${matched}` },
          { title: 'Left', cell: leftText },
          { title: 'Change', cell: ({ id }) => <Clear id={id} /> },
        ]}
      />
    </section>
  );
}

const afterText = ', once the request is processed';

function Clear({ id }: { readonly id: string }) {
  return (
    <button
      type="button"
      class="quiet"
      title={`Clears ${id}`}
      onClick={() => void act(() => ask('clearFaults', { fault: id }), 'Cleared')}
    >
      Clear
    </button>
  );
}

function targetText(on: Fault['on']): string {
  if (on.length === endpointNames.length && !on.some(isEventName)) return 'all requests';
  if (on.length === eventNames.length) return 'all events';
  return on.map((name) => (isEventName(name) ? name : endpointText(name))).join(', ');
}

function leftText({ active, times, until, injected }: Fault): string {
  if (!active) return 'none, it has ended';
  const ends = until === undefined ? '' : `until ${timeText(until)}`;
  if (times === undefined) return ends || 'no end';
  return `${times - injected} ${times - injected === 1 ? 'hit' : 'hits'}${ends && `, ${ends}`}`;
}

function addFault(fault: NewFault): Promise<boolean> {
  return act(() => ask('addFault', fault), 'Added');
}

function isEffectKind(name: string): name is EffectKind {
  return Object.hasOwn(answerEffects, name) || Object.hasOwn(eventEffects, name);
}

/** The amount is a status, or seconds. */
function effectOf(kind: EffectKind, amount: number): Fault['effect'] {
  if (kind === 'status') return { kind, status: amount };
  if (kind === 'latency' || kind === 'delay') return { kind, ms: amount * 1_000 };
  return { kind };
}

/** Adds a fault on requests or events. */
function FaultForm() {
  const target = useSignal<string>('sendTemplate');
  const kind = useSignal<EffectKind>('status');
  const on = targetsOf(target.value);
  const isOnEvents = on.some(isEventName);
  const kinds = isOnEvents ? eventEffects : answerEffects;
  const aim = (name: string) => {
    target.value = name;
    if (targetsOf(name).some(isEventName) !== isOnEvents) kind.value = isOnEvents ? 'status' : 'delay';
  };
  const choose = (name: string) => {
    if (isEffectKind(name)) kind.value = name;
  };
  const submit = async (given: FormData) => {
    const span = numberIn(given, 'for');
    await addFault({
      on,
      effect: effectOf(kind.value, numberIn(given, 'amount') ?? 0),
      after: given.has('after') || undefined,
      rate: (numberIn(given, 'share') ?? 100) / 100,
      times: numberIn(given, 'times'),
      for: span === undefined ? undefined : span * 1_000,
    });
  };
  return (
    <Form class="line" label="New fault" onGiven={(given) => void submit(given)}>
      <label>
        On
        <select value={target.value} onChange={({ currentTarget }) => aim(currentTarget.value)}>
          <optgroup label="Requests">
            {endpointNames.map((name) => (
              <option key={name} value={name}>
                {endpointText(name)}
              </option>
            ))}
            <option value="requests">all requests</option>
          </optgroup>
          <optgroup label="Events">
            {eventNames.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
            <option value="events">all events</option>
          </optgroup>
        </select>
      </label>
      <label>
        Effect
        <select value={kind.value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {Object.entries(kinds).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {kind.value === 'status' && (
        <label>
          Status
          <input name="amount" type="number" required min="400" max="599" defaultValue={500} />
        </label>
      )}
      {(kind.value === 'latency' || kind.value === 'delay') && (
        <label>
          Seconds late
          <input name="amount" type="number" required min="0.001" step="any" defaultValue={5} />
        </label>
      )}
      <label>
        Share in %
        <input name="share" type="number" min="0" max="100" step="any" defaultValue={100} />
      </label>
      <label>
        Hits
        <input name="times" type="number" min="1" placeholder="no end" />
      </label>
      <label>
        Seconds until it ends
        <input name="for" type="number" min="0.001" step="any" placeholder="no end" />
      </label>
      {!isOnEvents && (
        <label class="check">
          <input name="after" type="checkbox" /> once the request is processed
        </label>
      )}
      <button type="submit">Add fault</button>
    </Form>
  );
}

function targetsOf(name: string): readonly (EndpointName | EventName)[] {
  if (name === 'requests') return endpointNames;
  if (name === 'events') return eventNames;
  return isEventName(name) ? [name] : endpointNames.filter((one) => one === name);
}
