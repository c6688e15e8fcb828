import { endpointNames } from '../../../contract/endpoints.ts';
import { eventNames, isEventName } from '../../../contract/events.ts';
import type { InputOf, OutputOf } from '../../../sandbox/control/operations.ts';
import { act, useAsked } from '../../asked.ts';
import { ask } from '../../connection.ts';
import { timeText } from '../../time.ts';
import { Table } from '../../table.tsx';
import { addFault, FaultForm } from './fault-form.tsx';
import { effectText, endpointText } from '../../faults.ts';

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
  const faults = useAsked(['faults', 'usage', 'deliveries', 'clock'], 'faults').value ?? [];
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
