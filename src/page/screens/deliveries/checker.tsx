import { signal, useSignal } from '@preact/signals';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { ask } from '../../connection.ts';
import { Dialog } from '../../dialog.tsx';

export const isChecking = signal(false);

type Verdict = OutputOf<'checkSignature'>;

/** Says whether the signature of a pasted delivery is right, and if not, why: as `webhooks verify` does. */
export function Checker() {
  return (
    <Dialog title="Check a signature" isOpen={isChecking}>
      <CheckForm />
    </Dialog>
  );
}

function CheckForm() {
  const result = useSignal<Verdict | Error | undefined>(undefined);
  const check = async (given: FormData) => {
    const [headers, body, secret] = ['headers', 'body', 'secret'].map((name) => textIn(given, name));
    result.value = await ask('checkSignature', {
      headers: headersIn(headers ?? ''),
      body: body ?? '',
      secret: secret?.trim() || undefined,
    }).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void check(new FormData(event.currentTarget));
      }}
    >
      <label>
        Headers, one a line
        <textarea name="headers" rows={5} required placeholder="webhook-id: evt_…" spellcheck={false} />
      </label>
      <label>
        Body, byte for byte
        <textarea name="body" rows={5} placeholder='{"type":"message.delivered",…}' spellcheck={false} />
      </label>
      <label>
        Secret
        <input name="secret" placeholder="the secrets of this sandbox" autocomplete="off" />
      </label>
      <button type="submit" class="main">
        Check
      </button>
      <p role="status" class={isGood(result.value) ? 'good' : 'bad'}>
        {result.value && resultText(result.value)}
      </p>
    </form>
  );
}

function isGood(result: Verdict | Error | undefined): boolean {
  return result !== undefined && 'verdict' in result && result.verdict === 'good';
}

function resultText(result: Verdict | Error): string {
  if (result instanceof Error) return result.message;
  if (result.verdict === 'bad') return `Not valid: ${result.why}`;
  return verdicts[result.verdict];
}

const verdicts = {
  good: 'Valid',
  unsigned: 'Not signed: it has no signature headers',
  unknown: 'Not checked: no secret is known',
} as const;

/** Lines that are not headers, such as `POST / HTTP/1.1`, do not count. */
function headersIn(text: string): (readonly [string, string])[] {
  return text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*([^\s:]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return name !== undefined && value !== undefined ? [[name, value] as const] : [];
  });
}

function textIn(given: FormData, name: string): string {
  const text = given.get(name);
  return typeof text === 'string' ? text : '';
}
