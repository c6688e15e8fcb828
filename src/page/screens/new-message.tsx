import { signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { endpoints } from '../../contract/endpoints.ts';
import { errorDetail } from '../../contract/statuses.ts';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask } from '../ask.ts';
import { Dialog } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { testNumbers } from '../phones.ts';
import { goTo } from '../route.ts';
import type { Message } from '../state.ts';
import { paramsOf, Variables } from '../text.tsx';

export const isComposing = signal(false);

interface NewMessageProps {
  readonly templates: OutputOf<'templates'>;
  /** The chosen number. */
  readonly to: string;
}

/** Sends a message through the API. */
export function NewMessage(props: NewMessageProps) {
  return (
    <Dialog title="New message" isOpen={isComposing}>
      <Compose {...props} />
    </Dialog>
  );
}

function Compose({ templates, to: chosen }: NewMessageProps) {
  const to = useSignal(chosen || testNumbers[0].phone);
  const selected = useSignal<string | undefined>(undefined);
  const values = useSignal<Readonly<Record<string, string>>>({});
  const problem = useSignal<Problem | undefined>(undefined);
  const isSending = useSignal(false);
  const template =
    templates.find(({ name }) => name === selected.value) ??
    templates.find(({ status }) => status === 'APPROVED') ??
    templates[0];
  const params = template ? paramsOf(template, values.value) : [];
  const gone = useMemo(() => new AbortController(), []);
  useEffect(() => () => gone.abort(), []);
  const send = async () => {
    problem.value = await sendMessage({ to: to.value, template: template?.name ?? '', params }, gone.signal);
    if (problem.value) return;
    isComposing.value = false;
    goTo('phones', to.value);
  };
  const submit = () => {
    if (isSending.value) return;
    isSending.value = true;
    void send()
      .catch((error: unknown) => (problem.value = { text: error instanceof Error ? error.message : String(error) }))
      .finally(() => (isSending.value = false));
  };
  return (
    <Form onGiven={submit}>
      <label>
        To
        <input
          autofocus
          value={to.value}
          required
          pattern="\+[0-9]{6,15}"
          title="The international form, such as +12025550101"
          onInput={({ currentTarget }) => (to.value = currentTarget.value)}
        />
      </label>
      <label>
        Template
        <select value={template?.name} onChange={({ currentTarget }) => (selected.value = currentTarget.value)}>
          {templates.map(({ name, language, status }) => (
            <option key={name} value={name}>
              {name} ({language}
              {status === 'APPROVED' ? '' : `, ${status}`})
            </option>
          ))}
        </select>
      </label>
      {template && <Variables template={template} values={values} isRequired />}
      {problem.value && (
        <div role="alert">
          <p class="problem">{problem.value.text}</p>
          {problem.value.answer !== undefined && (
            <details>
              <summary>Answer of the service</summary>
              <pre>{problem.value.answer}</pre>
            </details>
          )}
        </div>
      )}
      <button type="submit" class="main" aria-disabled={isSending.value}>
        {isSending.value ? 'Sending…' : 'Send'}
      </button>
    </Form>
  );
}

/** Why a message was not sent, or may not have been sent. */
interface Problem {
  readonly text: string;
  /** The status and body, if there was an answer. */
  readonly answer?: string;
}

/** Seconds to wait for an answer. */
const patience = 10;
const unsure = 'The message may have been sent: check the timeline before you send it again.';

/** Sends a message through the API, as a program would; returns the problem, if there was one. */
async function sendMessage(
  message: Pick<Message, 'to' | 'template' | 'params'>,
  gone: AbortSignal,
): Promise<Problem | undefined> {
  const { keys } = await ask('env');
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience * 1_000);
  try {
    const response = await fetch(endpoints.sendTemplate.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.sandbox}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: AbortSignal.any([late.signal, gone]),
    });
    return problemIn(response.status, await response.text());
  } catch {
    const what = late.signal.aborted
      ? `No answer within ${patience} seconds.`
      : 'The connection broke before the answer.';
    return { text: `${what} ${unsure}` };
  } finally {
    clearTimeout(timer);
  }
}

function problemIn(status: number, body: string): Problem | undefined {
  const json = parsed(body);
  if (status < 300 && json !== undefined) return undefined;
  const text = status < 300 ? `The answer is not JSON. ${unsure}` : errorDetail(json);
  return { text: text ?? `The service answered ${status}.`, answer: `${status}\n${body}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
