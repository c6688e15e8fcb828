import { signal, useSignal } from '@preact/signals';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { sendMessage } from '../../connection.ts';
import { Dialog } from '../../dialog.tsx';
import { testNumbers } from '../../phones.ts';
import { goTo } from '../../route.ts';
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
  const problem = useSignal('');
  const isSending = useSignal(false);
  const template = templates.find((one) => one.name === name.value);
  const params = template ? paramsOf(template, values.value) : [];
  const send = async () => {
    const { status, body } = await sendMessage({ to: to.value, template: name.value, params });
    if (status >= 300) problem.value = `${status}: ${body}`;
    else {
      isComposing.value = false;
      goTo('phones', to.value);
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    void send()
      .catch((error: unknown) => (problem.value = String(error)))
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
      {template && <Variables template={template} values={values} />}
      {problem.value !== '' && (
        <p role="alert" class="problem">
          {problem.value}
        </p>
      )}
      <button type="submit" class="main" aria-disabled={isSending.value}>
        {isSending.value ? 'Sending…' : 'Send'}
      </button>
    </form>
  );
}
