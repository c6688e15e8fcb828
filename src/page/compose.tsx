import { signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { testNumbers } from './numbers.ts';
import { Dialog, Form } from './dialog.tsx';
import { templates } from './known.ts';
import { goTo } from './route.ts';
import { send } from './send.ts';
import { useKeys } from './shortcuts.tsx';
import { paramsOf, Variables } from './text.tsx';

const isComposing = signal(false);
const recipient = signal<string>(testNumbers[0].phone);

/** Opens the form for a new message. */
export function compose(to: string = testNumbers[0].phone): void {
  recipient.value = to;
  isComposing.value = true;
}

/** Sends a message through the API. */
export function Compose() {
  useKeys({ n: () => compose() });
  return (
    <Dialog title="Send a message" isOpen={isComposing}>
      <Message />
    </Dialog>
  );
}

function Message() {
  const to = useSignal(recipient.value);
  const selected = useSignal<string | undefined>(undefined);
  const values = useSignal<Readonly<Record<string, string>>>({});
  const problem = useSignal('');
  const isSending = useSignal(false);
  const all = templates.value ?? [];
  const template =
    all.find(({ name }) => name === selected.value) ?? all.find(({ status }) => status === 'APPROVED') ?? all[0];
  const gone = useMemo(() => new AbortController(), []);
  useEffect(() => () => gone.abort(), []);
  const submit = async () => {
    if (isSending.value || !template) return;
    isSending.value = true;
    const message = { to: to.value, template: template.name, params: paramsOf(template, values.value) };
    try {
      const id = await send(message, gone.signal);
      isComposing.value = false;
      goTo('activity', id);
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
    isSending.value = false;
  };
  return (
    <Form onGiven={() => void submit()}>
      <label>
        To
        <input
          autofocus
          list="numbers"
          value={to.value}
          required
          pattern="\+[0-9]{6,15}"
          title="The international form, such as +12025550101"
          onInput={({ currentTarget }) => (to.value = currentTarget.value)}
        />
      </label>
      <datalist id="numbers">
        {testNumbers.map(({ phone, does }) => (
          <option key={phone} value={phone}>
            {does}
          </option>
        ))}
      </datalist>
      <label>
        Template
        <select value={template?.name} onChange={({ currentTarget }) => (selected.value = currentTarget.value)}>
          {all.map(({ name, language, status }) => (
            <option key={name} value={name}>
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
