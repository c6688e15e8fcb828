import { signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { Dialog } from '../../dialog.tsx';
import { testNumbers } from '../../phones.ts';
import { goTo } from '../../route.ts';
import { type Problem, sendMessage } from '../../send.ts';
import { paramsOf, Variables } from '../../variables.tsx';

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
  const name = useSignal(templates.find(({ status }) => status === 'APPROVED')?.name ?? '');
  const values = useSignal<Readonly<Record<string, string>>>({});
  const problem = useSignal<Problem | undefined>(undefined);
  const isSending = useSignal(false);
  const template = templates.find((one) => one.name === name.value);
  const params = template ? paramsOf(template, values.value) : [];
  const gone = useMemo(() => new AbortController(), []);
  useEffect(() => () => gone.abort(), []);
  const send = async () => {
    problem.value = await sendMessage({ to: to.value, template: name.value, params }, gone.signal);
    if (problem.value) return;
    isComposing.value = false;
    goTo('phones', to.value);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    void send()
      .catch((error: unknown) => (problem.value = { text: error instanceof Error ? error.message : String(error) }))
      .finally(() => (isSending.value = false));
  };
  return (
    <form onSubmit={submit}>
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
        <select value={name.value} onChange={({ currentTarget }) => (name.value = currentTarget.value)}>
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
    </form>
  );
}
