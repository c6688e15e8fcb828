import type { OutputOf } from '../sandbox/control/operations.ts';
import { ask, useAsked } from './ask.ts';
import { act } from './notice.tsx';
import { Text } from './text.tsx';
import { timeText } from './words.ts';

interface DeliveryDetailsProps {
  /** The id of a delivery or an event. */
  readonly id: string;
  readonly title: string;
}

/** The deliveries of an event, with the bytes of every attempt. */
export function DeliveryDetails({ id, title }: DeliveryDetailsProps) {
  const found = useAsked('deliveries', 'delivery', { id }) ?? [];
  return (
    <section aria-label={title}>
      <h3>
        {title}{' '}
        <button type="button" onClick={() => void act(() => ask('redeliver', { id }), 'Redelivered')}>
          Redeliver
        </button>
      </h3>
      {found.map(({ id, url, state, next_at: next, attempts }) => (
        <div key={id}>
          <p class={`state ${state}`}>
            {url ?? 'No webhook receives it'} · {state}
            {next !== null && `, again at ${timeText(Date.parse(next))}`}
          </p>
          {attempts.map((attempt, at) => (
            <Attempt key={at} number={at + 1} of={attempt} />
          ))}
        </div>
      ))}
    </section>
  );
}

interface AttemptProps {
  readonly number: number;
  readonly of: OutputOf<'delivery'>[number]['attempts'][number];
}

function Attempt({ number, of: { at, took, request, response, error } }: AttemptProps) {
  return (
    <details>
      <summary>
        Attempt {number} at {timeText(at)}: {response?.status ?? error} in {took} ms
      </summary>
      <Bytes label="Request" {...request} />
      {response && <Bytes label={`Response ${response.status}`} {...response} />}
    </details>
  );
}

interface BytesProps {
  readonly label: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function Bytes({ label, headers, body }: BytesProps) {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  return (
    <figure>
      <figcaption>{label}</figcaption>
      <pre>
        <Text parts={[{ text: `${head.join('')}\n${body}` }]} />
      </pre>
    </figure>
  );
}
