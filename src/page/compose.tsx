import { signal, useSignal } from '@preact/signals';
import { send } from './ask.ts';
import { Dialog, Form } from './dialog.tsx';
import { templates } from './model.ts';
import { textOf } from './notice.tsx';
import { goTo } from './route.ts';
import { type Template, Variables } from './text.tsx';
import { testNumbers } from './words.ts';

const isComposing = signal(false);
const recipient = signal('');

/** Opens the form for a new message. */
export function compose(to: string = testNumbers[0].phone): void {
  recipient.value = to;
  isComposing.value = true;
}

/** Sends a message through the API. */
export function Compose() {
  return (
    <Dialog title="Send a message" isOpen={isComposing}>
      <Message all={templates.value ?? []} />
    </Dialog>
  );
}

function Message({ all }: { readonly all: readonly Template[] }) {
  const selected = useSignal('');
  const values = useSignal<Readonly<Record<string, string>>>({});
  const problem = useSignal('');
  const isSending = useSignal(false);
  const template = all.find(({ name }) => name === selected.value) ?? all.find(({ status }) => status === 'APPROVED');
  const submit = async () => {
    if (!template || isSending.value) return;
    isSending.value = true;
    const params = template.variables.map((variable) => values.value[variable] ?? '');
    try {
      const id = await send({ to: recipient.value, template: template.name, params });
      isComposing.value = false;
      goTo('activity', id);
    } catch (error) {
      problem.value = textOf(error);
    }
    isSending.value = false;
  };
  return (
    <Form onFilled={() => void submit()}>
      <label>
        To
        <input
          autofocus
          list="numbers"
          value={recipient.value}
          required
          pattern="\+[0-9]{6,15}"
          title="The international form, such as +12025550101"
          onInput={({ currentTarget }) => (recipient.value = currentTarget.value)}
        />
      </label>
      <datalist id="numbers">
        {testNumbers.map(({ phone, does }) => (
          <option value={phone}>{does}</option>
        ))}
      </datalist>
      <label>
        Template
        <select value={template?.name} onChange={({ currentTarget }) => (selected.value = currentTarget.value)}>
          {all.map(({ name, language, status }) => (
            <option value={name}>
              {name} ({language}
              {status === 'APPROVED' ? '' : `, ${status}`})
            </option>
          ))}
        </select>
      </label>
      {template && <Variables template={template} values={values} isRequired />}
      {problem.value !== '' && (
        <p role="alert" class="problem">
          {problem.value}
        </p>
      )}
      <button type="submit" class="main" aria-disabled={isSending.value}>
        {isSending.value ? 'Sending…' : 'Send'}
      </button>
    </Form>
  );
}
