import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Step } from '../../sandbox/control/story.ts';
import { now } from '../clock.tsx';
import { env } from '../known.ts';
import { Copy } from '../notice.tsx';
import { Json, marked } from '../text.tsx';
import { momentText, offsetText, shortUrl, waitText } from '../words.ts';

/** A step, and the number of equal answers after the first that it stands for. */
interface Shown {
  readonly step: Step;
  readonly same: number;
}

interface StepsProps {
  readonly steps: readonly Step[];
  /** The payloads of the events, by id. */
  readonly payloads: ReadonlyMap<string, object>;
}

/** The steps in order: the first with its time, the others with the time since. */
export function Steps({ steps, payloads }: StepsProps) {
  const [first] = steps;
  // The verdict says that there is no handler.
  const all = folded(steps.filter(({ kind, what }) => kind !== 'delivery' || what !== null));
  const latest = steps.findLast(({ kind, state }) => kind === 'event' && state !== 'pending');
  return (
    <ol class="steps" aria-label="Steps">
      {all.map(({ step, same }, at) => {
        const event = isLastOfEvent(all, at) ? eventBefore(all, at) : undefined;
        const payload = payloads.get(event?.event ?? '');
        const time = step === first ? momentText(step.at) : offsetText(step.at - (first?.at ?? 0));
        return (
          <li key={step.key}>
            <i class={`dot is-${step.state}`} />
            <span>
              <Title step={step} same={same} />
            </span>
            <time>{step.state === 'pending' ? waitText(step.at - now.value) : time}</time>
            <div class="more">
              {same === 0 && <Answer step={step} />}
              {payload && <Received payload={payload} step={step} isOpen={event === latest} />}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** Equal answers that follow each other become one step. */
function folded(steps: readonly Step[]): readonly Shown[] {
  const all: Shown[] = [];
  for (const step of steps) {
    const before = all.at(-1);
    if (!before || !isSame(before.step, step)) all.push({ step, same: 0 });
    else all.splice(before.same === 0 ? all.length : -1, 1, { step, same: before.same + 1 });
  }
  return all;
}

function isSame(one: Step, other: Step): boolean {
  if (!one.attempt || !other.attempt || other.state !== 'bad') return false;
  return one.what === other.what && answerText(one) === answerText(other);
}

function answerText({ attempt, forward }: Step): string {
  return [attempt?.response?.status, attempt?.error, attempt?.response?.body, forward?.body].join(' ');
}

function isLastOfEvent(all: readonly Shown[], at: number): boolean {
  const isTried = (step: Step | undefined) => step?.attempt !== undefined || step?.forward !== undefined;
  const [step, next] = [all[at]?.step, all[at + 1]?.step];
  return step?.state !== 'pending' && (isTried(step) || step?.event !== undefined) && !isTried(next);
}

function eventBefore(all: readonly Shown[], at: number): Step | undefined {
  return all.slice(0, at + 1).findLast(({ step }) => step.event)?.step;
}

function Title({ step: { kind, what, note, state, attempt, forward }, same }: Shown) {
  if (kind === 'request') {
    const title = what === null ? 'Sent' : state === 'bad' ? 'Sent, but the answer failed' : 'Accepted';
    return titled(title, what === null ? '' : `${what.replace(/ .*\//, ' ')} → ${note}`);
  }
  if (kind === 'event')
    return titled(
      (what ?? '').replace(/^message\.(.)/, (_, letter: string) => letter.toUpperCase()),
      note,
    );
  const took = attempt ?? forward;
  if (!took) return titled(shortUrl(what ?? ''), note);
  const status = attempt?.response?.status ?? forward?.status ?? 'no answer';
  const words = [/^retry \d+/.exec(note)?.[0], `in ${took.took} ms`, same && 'same answer', same > 1 && `× ${same}`];
  return (
    <>
      <bdi>{shortUrl(what ?? '')}</bdi> <span class={`mono is-${state}`}>{status} </span>
      <span class="note">{words.filter(Boolean).join(', ')}</span>
    </>
  );
}

function titled(title: string, note: string) {
  return (
    <>
      <bdi>{title}</bdi> <span class="note">{marked(note)}</span>
    </>
  );
}

/** Three lines of the answer to a failed attempt. */
function Answer({ step: { state, attempt, forward } }: { readonly step: Step }) {
  const text = attempt?.error ?? forward?.error ?? forward?.body ?? attempt?.response?.body ?? '';
  if (state !== 'bad' || text.trim() === '') return null;
  return <pre tabIndex={0}>{marked(text.trim().split('\n', 3).join('\n').slice(0, 600))}</pre>;
}

interface ReceivedProps {
  readonly payload: object;
  readonly step: Step;
  readonly isOpen: boolean;
}

/** The request to the handler. */
function Received({ payload, step: { attempt }, isOpen }: ReceivedProps) {
  const signature = useSignature(attempt);
  const headers = Object.entries(attempt?.request.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return (
    <details open={isOpen}>
      <summary>{attempt ? `What it got: payload · headers${signature}` : 'Payload'}</summary>
      <div class="payload">
        <Copy text={JSON.stringify(payload, null, 2)}>Copy</Copy>
        <Json value={payload} />
      </div>
      {attempt && <pre tabIndex={0}>{marked(headers.join('\n'))}</pre>}
    </details>
  );
}

function useSignature(attempt: Step['attempt']): string {
  const text = useSignal('');
  const secrets = env.value?.secrets;
  const check = async () => {
    if (!attempt || !secrets) return;
    text.value = ` · signature ${(await isSigned(attempt.request, secrets)) ? 'valid' : 'invalid'}`;
  };
  useEffect(() => void check(), [attempt?.at, secrets]);
  return text.value;
}

/** Whether a delivery has a valid signature of Standard Webhooks. */
async function isSigned(
  { headers, body }: NonNullable<Step['attempt']>['request'],
  secrets: readonly string[],
): Promise<boolean> {
  const signed = new TextEncoder().encode(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  const signatures = headers['webhook-signature']?.split(' ') ?? [];
  for (const secret of secrets) {
    const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
    if (signatures.includes(`v1,${btoa(String.fromCharCode(...signature))}`)) return true;
  }
  return false;
}
