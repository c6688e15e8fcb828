import type { OutputOf } from '../../sandbox/control/operations.ts';
import { useAsked } from '../ask.ts';
import { state } from '../connection.ts';
import { Json } from '../json.tsx';
import type { Message, Request } from '../state.ts';
import { marked } from '../text.tsx';

interface RequestProps {
  readonly request: Request;
  readonly message: Message | undefined;
}

/** A request and its answer, as they were sent. The sandbox keeps those of the last 100 requests. */
export function RequestDetails({ request, message }: RequestProps) {
  const { to, template, params } = message ?? {};
  const exchanges = useAsked('usage', 'exchanges') ?? [];
  const exchange = exchangeOf(request, state.value.requests, exchanges);
  if (exchange)
    return (
      <section aria-label="Request">
        <h3>Request</h3>
        <pre>{marked(partText(`${exchange.sent.method} ${exchange.sent.path}`, exchange.sent))}</pre>
        <h3>Answer</h3>
        <pre>
          {marked(partText(request.status === 0 ? 'none' : String(exchange.answered.status), exchange.answered))}
        </pre>
      </section>
    );
  return (
    <section aria-label="Request">
      <p class="note">
        The log entry, as <code>bizmsg sandbox log --type requests -o json</code> prints it. The bytes are kept for the
        last 100 requests since the sandbox was started.
      </p>
      <Json value={message ? { to, template, params } : request} />
    </section>
  );
}

type Exchange = OutputOf<'exchanges'>[number];

/** The bytes of a request of the log. Equal log entries differ only by their order. */
function exchangeOf(request: Request, log: readonly Request[], exchanges: readonly Exchange[]): Exchange | undefined {
  const text = JSON.stringify(request);
  const isSame = (other: Request) => JSON.stringify(other) === text;
  const later = log.slice(log.indexOf(request) + 1).filter(isSame).length;
  return exchanges.filter((exchange) => isSame(exchange.request)).at(-1 - later);
}

/** As `curl -v` prints it, without the marks. */
function partText(first: string, { headers, body, bytes }: Exchange['sent'] | Exchange['answered']): string {
  const cut = bytes === undefined ? [] : [`(the first 16 KB of ${bytes} bytes)`];
  return [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body, ...cut].join('\n');
}
