import { maskKey } from '../../base/redact.ts';
import { scopes } from '../../contract/keys.ts';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask, useAsked } from '../ask.ts';
import { confirm } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { act, Copy } from '../notice.tsx';
import { goTo, linkTo } from '../route.ts';
import { Table } from '../table.tsx';
import { StatusText } from '../text.tsx';
import { dayText, requestText, timeText } from '../words.ts';

type Key = OutputOf<'keys'>[number];

/** The keys, and the audit log of the chosen one. */
export function Keys({ chosen }: { readonly chosen: string }) {
  const keys = useAsked('keys', 'keys') ?? [];
  const key = keys.find(({ id }) => id === chosen) ?? keys[0];
  return (
    <>
      <section>
        <h2>Keys</h2>
        <KeyForm canGoLive={keys.some(({ state }) => state === 'inactive')} />
        <Table
          label="Keys"
          rows={keys}
          keyOf={({ id }) => id}
          empty="No keys."
          chosen={key?.id ?? ''}
          onChoose={(id) => id !== '' && goTo('limits', `keys/${id}`)}
          columns={[
            { title: 'Key', class: 'whole-word', cell: ({ text }) => <code>{maskKey(text)}</code> },
            { title: 'Mode', class: 'wide', cell: ({ mode }) => mode },
            { title: 'Scope', cell: ({ scope }) => scope },
            { title: 'State', cell: ({ state }) => <span class={`state ${state}`}>{state}</span> },
            { title: 'Created', class: 'wide', cell: ({ createdAt }) => dayText(createdAt) },
            { title: 'Change', class: 'whole-word end', cell: (key) => <Changes of={key} /> },
          ]}
        />
      </section>
      {key && <Audit key={key.id} of={key} />}
    </>
  );
}

function Changes({ of: key }: { readonly of: Key }) {
  const revoke = () =>
    confirm({
      title: `Revoke ${maskKey(key.text)}?`,
      text: 'Requests with it are answered 401 from then on. This cannot be undone.',
      does: 'Revoke',
      action: () => ask('revokeKey', { key: key.id }),
      done: 'Revoked',
    });
  return (
    <>
      <Copy label="Copy" title={`Copies ${maskKey(key.text)} in full`} text={key.text} />{' '}
      {key.state !== 'revoked' && (
        <button type="button" class="quiet" title={`Revokes ${maskKey(key.text)}`} onClick={revoke}>
          Revoke
        </button>
      )}
    </>
  );
}

function goLive(): void {
  confirm({
    title: 'Go live?',
    text: 'This activates the live keys. Their messages are simulated, too. This cannot be undone.',
    does: 'Go live',
    action: () => ask('goLive'),
    done: 'The live keys are active',
  });
}

function KeyForm({ canGoLive }: { readonly canGoLive: boolean }) {
  const create = async (given: FormData) => {
    const scope = scopes.find((one) => one === given.get('scope'));
    const { id } = await ask('createKey', { scope, mode: given.has('live') ? 'live' : 'sandbox' });
    goTo('limits', `keys/${id}`);
  };
  return (
    <Form class="line" label="New key" onGiven={(given) => void act(() => create(given), 'Created')}>
      <label>
        Scope
        <select name="scope">
          {scopes.map((scope) => (
            <option key={scope} selected={scope === 'full'}>
              {scope}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input type="checkbox" name="live" /> live, simulated
      </label>
      <button type="submit">Create key</button>
      {canGoLive && (
        <button type="button" onClick={goLive}>
          Go live
        </button>
      )}
    </Form>
  );
}

/** More are shown by `sandbox log ID`. */
const most = 1_000;

/** §5.8: the calls made with a key, the newest first. */
function Audit({ of: { id, text } }: { readonly of: Key }) {
  const calls = useAsked('usage', 'audit', { key: id, limit: most }) ?? [];
  const rows = calls.map((call, at) => ({ ...call, id: String(at) })).reverse();
  const title = `Audit log of ${maskKey(text)}`;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Table
        label={title}
        rows={rows}
        keyOf={({ id }) => id}
        empty="No requests with this key yet."
        columns={[
          { title: 'Time', class: 'whole-word', cell: ({ at }) => <Moment at={Date.parse(at)} /> },
          { title: 'Request', cell: ({ method, path }) => <code>{requestText(method, path)}</code> },
          { title: 'Status', class: 'whole-word', cell: ({ status }) => <StatusText status={status} /> },
          {
            title: 'Message',
            class: 'wide',
            cell: ({ message_id: message }) => message !== null && <a href={linkTo('timeline', message)}>{message}</a>,
          },
          {
            title: 'Detail',
            class: 'wide',
            cell: ({ fault, detail }) => [fault, detail].filter((part) => part !== null).join(': '),
          },
        ]}
      />
      {rows.length === most && (
        <p class="more about">
          Older ones: <code>bizmsg sandbox log {id}</code>
        </p>
      )}
    </section>
  );
}

function Moment({ at }: { readonly at: number }) {
  return <time title={dayText(at)}>{timeText(at)}</time>;
}
