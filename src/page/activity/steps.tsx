import type { Step } from '../../sandbox/control/story.ts';
import { Icon } from '../icons.tsx';
import { now } from '../model.ts';
import { Copy } from '../notice.tsx';
import { Json, marked } from '../text.tsx';
import { capital, momentText, offsetText, shortUrl, waitText } from '../words.ts';

/** A step, and the number of equal answers after the first that it stands for. */
interface Shown {
  readonly step: Step;
  readonly same: number;
}

/** The steps in order: the first with its time, the others with the time since. */
export function Steps({ steps }: { readonly steps: readonly Step[] }) {
  const [first] = steps;
  // The verdict says that there is no handler.
  const all = folded(steps.filter(({ kind, what }) => kind !== 'delivery' || what !== null));
  const latest = steps.findLast(({ payload }) => payload);
  return (
    <ol class="steps" aria-label="Steps">
      {all.map(({ step, same }) => {
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
              {step.payload && <Received payload={step.payload} attempt={step.attempt} isOpen={step === latest} />}
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

function isSame(before: Step, step: Step): boolean {
  if (!before.attempt || !step.attempt || step.state !== 'bad') return false;
  return (
    before.what === step.what &&
    before.attempt.response?.status === step.attempt.response?.status &&
    answerOf(before) === answerOf(step)
  );
}

function Title({ step: { kind, what, note, state, attempt, forward }, same }: Shown) {
  const took = attempt ?? forward;
  if (took) {
    const status = attempt?.response?.status ?? forward?.status ?? 'no answer';
    const words = [/^retry \d+/.exec(note)?.[0], `in ${took.took} ms`, same && 'same answer', same > 1 && `× ${same}`];
    return (
      <>
        <bdi>{shortUrl(what ?? '')}</bdi> <span class={`mono is-${state}`}>{status} </span>
        <span class="note">{words.filter(Boolean).join(', ')}</span>
      </>
    );
  }
  const isRequest = kind === 'request' && what !== null;
  const event = what?.startsWith('message.') ? capital(what.slice('message.'.length)) : shortUrl(what ?? '');
  const title = kind === 'request' ? requestTitle(what, state) : event;
  return (
    <>
      <bdi>{title}</bdi>{' '}
      <span class="note">{marked(isRequest ? `${what.replace(/ .*\//, ' ')} → ${note}` : note)}</span>
    </>
  );
}

function requestTitle(what: string | null, state: Step['state']): string {
  if (what === null) return 'Sent';
  return state === 'bad' ? 'Sent, but the answer failed' : 'Accepted';
}

function answerOf({ attempt, forward }: Step): string {
  return (attempt?.error ?? forward?.error ?? forward?.body ?? attempt?.response?.body ?? '').trim();
}

/** Three lines of the answer to a failed attempt. */
function Answer({ step }: { readonly step: Step }) {
  const text = answerOf(step);
  if (step.state !== 'bad' || text === '') return null;
  return <pre tabIndex={0}>{marked(text.split('\n', 3).join('\n').slice(0, 600))}</pre>;
}

interface ReceivedProps {
  readonly payload: object;
  readonly attempt: Step['attempt'];
  readonly isOpen: boolean;
}

/** The request to the handler. */
function Received({ payload, attempt, isOpen }: ReceivedProps) {
  const { headers = {}, signature } = attempt?.request ?? {};
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details open={isOpen}>
      <summary>{attempt ? `What it got: payload · headers · signature ${signature}` : 'Payload'}</summary>
      <div class="command">
        <Json value={payload} />
        <Copy text={JSON.stringify(payload, null, 2)} label="Copy payload" class="quiet">
          <Icon name="copy" />
        </Copy>
      </div>
      {attempt && <pre tabIndex={0}>{marked(lines.join('\n'))}</pre>}
    </details>
  );
}
