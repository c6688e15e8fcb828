import { useSignal } from '@preact/signals';
import { type EndpointName, endpointNames } from '../../contract/endpoints.ts';
import { type EventName, eventNames, isEventName } from '../../contract/events.ts';
import type { InputOf, OutputOf } from '../../sandbox/control/operations.ts';
import { ask, useAsked } from '../ask.ts';
import { Form, numberIn } from '../form.tsx';
import { act } from '../notice.tsx';
import { answerEffects, type EffectKind, endpointText, eventEffects, faultText } from '../words.ts';

type Fault = OutputOf<'faults'>[number];
type NewFault = InputOf<'addFault'>;

const next = { on: ['sendTemplate'], times: 1 } as const;
/** Of the next message. */
export const presets: readonly NewFault[] = [
  { ...next, effect: { kind: 'status', status: 500 } },
  { ...next, effect: { kind: 'status', status: 500 }, after: true },
  { ...next, effect: { kind: 'reset' }, after: true },
  { ...next, effect: { kind: 'hang' } },
];

/** Errors on purpose. */
export function Faults() {
  const faults = useAsked(['faults', 'usage', 'deliveries', 'clock'], 'faults') ?? [];
  return (
    <section>
      <header class="tools">
        <h2>Faults</h2>
        {faults.length > 0 && (
          <button type="button" onClick={() => void act(() => ask('clearFaults'), 'All faults are cleared')}>
            Clear all
          </button>
        )}
      </header>
      {faults.length === 0 && (
        <p class="note">No faults: every valid request succeeds, and every event is delivered.</p>
      )}
      <ul class="cards" aria-label="Faults">
        {faults.map((fault) => (
          <FaultCard key={fault.id} fault={fault} />
        ))}
      </ul>
      <FaultForm />
      <h3>Or at once</h3>
      <div class="actions">
        {presets.map((fault) => (
          <button key={faultText(fault)} type="button" onClick={() => void addFault(fault)}>
            {faultText(fault)}
          </button>
        ))}
      </div>
    </section>
  );
}

function FaultCard({ fault }: { readonly fault: Fault }) {
  const { id, times, active, injected, matched } = fault;
  const left = times === undefined ? undefined : times - injected;
  const rest = active ? faultText({ ...fault, times: left }) : `Over. ${faultText(fault)}`;
  return (
    <li class={active ? 'card' : 'card over'}>
      <span>
        <strong>{rest}</strong>{' '}
        <span class="note">
          hit {injected} of {matched}
        </span>
      </span>
      <button
        type="button"
        class="quiet"
        title={`Clears ${id}`}
        onClick={() => void act(() => ask('clearFaults', { fault: id }), 'Cleared')}
      >
        Clear
      </button>
    </li>
  );
}

export function addFault(fault: NewFault): Promise<boolean> {
  return act(() => ask('addFault', fault), faultText(fault));
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

const nouns = { sendTemplate: 'sends', requests: 'requests of any kind', events: 'events of any kind' } as const;

/** Adds a fault, as a sentence. */
function FaultForm() {
  const target = useSignal<string>('sendTemplate');
  const kind = useSignal<EffectKind>('status');
  const isAfter = useSignal(false);
  const on = targetsOf(target.value);
  const isOnEvents = on.some(isEventName);
  const aim = (name: string) => {
    target.value = name;
    if (targetsOf(name).some(isEventName) !== isOnEvents) choose(isOnEvents ? 'status' : 'delay');
  };
  const choose = (value: string) => {
    const [name = '', after] = value.split(' ');
    if (!isEffectKind(name)) return;
    kind.value = name;
    isAfter.value = after !== undefined;
  };
  const submit = (given: FormData) => {
    const effect = effectOf(kind.value, numberIn(given, 'amount') ?? 0);
    void addFault({ on, effect, after: isAfter.value || undefined, times: numberIn(given, 'times') });
  };
  return (
    <Form class="line" label="New fault" onGiven={submit}>
      <label>
        The next
        <input name="times" type="number" min="1" placeholder="all" defaultValue={1} />
      </label>
      <label>
        Of
        <select value={target.value} onChange={({ currentTarget }) => aim(currentTarget.value)}>
          <optgroup label="Requests">
            {Array.from(new Set(['sendTemplate', 'requests', ...endpointNames]), optionOf)}
          </optgroup>
          <optgroup label="Events">{['events', ...eventNames].map(optionOf)}</optgroup>
        </select>
      </label>
      <label>
        Will be
        <select
          value={kind.value + (isAfter.value ? ' after' : '')}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {isOnEvents ? (
            <Effects of={eventEffects} />
          ) : (
            <>
              <optgroup label="Before it is carried out">
                <Effects of={answerEffects} />
              </optgroup>
              <optgroup label="Carried out first">
                <Effects of={answerEffects} after />
              </optgroup>
            </>
          )}
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
      <button type="submit" class="main">
        Add fault
      </button>
    </Form>
  );
}

function Effects({ of, after = false }: { readonly of: Readonly<Record<string, string>>; readonly after?: boolean }) {
  return Object.entries(of).map(([name, text]) => (
    <option key={name} value={after ? `${name} after` : name}>
      {after && 'carried out, then '}
      {text}
    </option>
  ));
}

function optionOf(name: string) {
  const endpoint = endpointNames.find((one) => one === name);
  const noun = Object.entries(nouns).find(([one]) => one === name)?.[1];
  return (
    <option key={name} value={name}>
      {noun ?? (endpoint ? endpointText(endpoint) : name)}
    </option>
  );
}

function targetsOf(name: string): readonly (EndpointName | EventName)[] {
  if (name === 'requests') return endpointNames;
  if (name === 'events') return eventNames;
  return isEventName(name) ? [name] : endpointNames.filter((one) => one === name);
}
