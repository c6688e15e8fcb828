import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Step } from '../../sandbox/control/story.ts';
import { ask, tryAsk } from '../ask.ts';
import { now } from '../clock.tsx';
import { Json } from '../json.tsx';
import { act, Copy } from '../notice.tsx';
import { isSigned } from '../signature.ts';
import { marked } from '../text.tsx';
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
        return (
          <li key={step.key}>
            <i class={`dot is-${step.state}`} />
            <span class="what">
              <Title step={step} same={same} />
            </span>
            <StepTime step={step} since={step === first ? undefined : first?.at} />
            <div class="more">
              {same === 0 && <Answer step={step} />}
              {event && <Received payload={payloads.get(event.event ?? '')} step={step} isOpen={event === latest} />}
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
  const { response, error } = attempt ?? {};
  return [response?.status, error, response?.body, forward?.body].join(' ');
}

function isLastOfEvent(all: readonly Shown[], at: number): boolean {
  const isTried = (step: Step | undefined) => step?.attempt !== undefined || step?.forward !== undefined;
  const [step, next] = [all[at]?.step, all[at + 1]?.step];
  return step?.state !== 'pending' && (isTried(step) || step?.event !== undefined) && !isTried(next);
}

function eventBefore(all: readonly Shown[], at: number): Step | undefined {
  return all.slice(0, at + 1).findLast(({ step }) => step.event)?.step;
}

function Title({ step, same }: Shown & { readonly step: Step }) {
  const { kind, what, note, state, attempt, forward } = step;
  const took = attempt ?? forward;
  if (kind === 'request' || kind === 'event')
    return (
      <>
        {titleOf(step)}{' '}
        <span class="note">{kind === 'event' || what === null ? marked(note) : sentText(what, note)}</span>
      </>
    );
  const status = attempt?.response?.status ?? forward?.status ?? 'no answer';
  const words = [/^retry \d+/.exec(note)?.[0], `in ${took?.took} ms`, same && 'same answer', same > 1 && `× ${same}`];
  return (
    <>
      <bdi>{shortUrl(what ?? '')}</bdi> {took && <span class={`mono is-${state}`}>{status} </span>}
      <span class="note">{took ? words.filter(Boolean).join(', ') : marked(note)}</span>
    </>
  );
}

function titleOf({ kind, what, state }: Step): string {
  if (kind === 'event') return (what ?? '').replace(/^message\.(.)/, (_, letter: string) => letter.toUpperCase());
  return what === null ? 'Sent' : state === 'bad' ? 'Sent, but the answer failed' : 'Accepted';
}

function sentText(what: string, status: string): string {
  return `${what.replace(/ .*\//, ' ')} → ${status}`;
}

function StepTime({ step: { at, state }, since }: { readonly step: Step; readonly since: number | undefined }) {
  if (state !== 'pending') return <time>{since === undefined ? momentText(at) : offsetText(at - since)}</time>;
  const wait = at - now.value;
  return (
    <span>
      <time>{waitText(wait)}</time>{' '}
      <button
        title={`Advances the clock to ${momentText(at)}`}
        disabled={wait <= 0}
        onClick={() => void act(() => ask('advanceClock', { by: at - now.value }))}
      >
        Now
      </button>
    </span>
  );
}

/** Three lines of the answer to a failed attempt. */
function Answer({ step: { state, attempt, forward } }: { readonly step: Step }) {
  const text = attempt?.error ?? forward?.error ?? forward?.body ?? attempt?.response?.body ?? '';
  if (state !== 'bad' || text.trim() === '') return null;
  return <pre tabIndex={0}>{marked(text.trim().split('\n', 3).join('\n').slice(0, 600))}</pre>;
}

interface ReceivedProps {
  readonly payload: object | undefined;
  readonly step: Step;
  readonly isOpen: boolean;
}

/** The request to the handler. */
function Received({ payload, step: { attempt }, isOpen }: ReceivedProps) {
  const signature = useSignature(attempt);
  if (!payload) return null;
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
  useEffect(() => {
    if (!attempt) return;
    void tryAsk('env')
      .then((env) => isSigned(attempt.request, env?.secrets ?? []))
      .then((isValid) => (text.value = ` · signature ${isValid ? 'valid' : 'invalid'}`));
  }, [attempt?.at]);
  return text.value;
}
