import type { OutputOf } from '../sandbox/control/operations.ts';
import { act, useAsked } from './asked.ts';
import { ask } from './connection.ts';
import { Text } from './text.tsx';
import { timeText } from './time.ts';

type Delivery = OutputOf<'delivery'>[number];
type Attempt = Delivery['attempts'][number];

interface DeliveryDetailsProps {
  /** The id of a delivery or an event. */
  readonly id: string;
  readonly title: string;
}

/** The deliveries of an event, with the bytes of every attempt. */
export function DeliveryDetails({ id, title }: DeliveryDetailsProps) {
  const found = useAsked('deliveries', 'delivery', { id }).value ?? [];
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
            {url ?? 'No webhook was registered'} · {state}
            {next !== null && `, again at ${timeText(Date.parse(next))}`}
          </p>
          {attempts.map((attempt, at) => (
            <AttemptDetails key={at} number={at + 1} attempt={attempt} />
          ))}
        </div>
      ))}
    </section>
  );
}

function AttemptDetails({
  number,
  attempt: { at, took, request, response, error },
}: {
  number: number;
  attempt: Attempt;
}) {
  return (
    <details>
      <summary>
        Attempt {number} at {timeText(at)}: {response?.status ?? error} in {took} ms
      </summary>
      <Bytes label="Request" headers={request.headers} body={request.body} />
      {response && <Bytes label={`Response ${response.status}`} headers={response.headers} body={response.body} />}
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
