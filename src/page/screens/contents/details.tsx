import { useSignal } from '@preact/signals';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { act, useAsked } from '../../asked.ts';
import { ask } from '../../connection.ts';
import { copies } from '../../copies.ts';
import { Copy } from '../../copy.tsx';
import { testNumbers } from '../../phones.ts';
import { linkTo } from '../../route.ts';
import { Text } from '../../text.tsx';
import { paramsOf, Variables } from '../../variables.tsx';

export function ContactDetail({ contact }: { readonly contact: OutputOf<'contacts'>[number] }) {
  const { phone } = contact;
  return (
    <>
      <p>
        <a href={linkTo('phones', phone)}>Messages of {phone}</a> <Copy label="Copy number" text={phone} />
      </p>
      <Fields of={contact} />
    </>
  );
}

/** A template as its recipient reads it, with values for its variables. */
export function TemplateDetail({ template }: { readonly template: OutputOf<'templates'>[number] }) {
  const values = useSignal<Readonly<Record<string, string>>>({});
  const { name, variables, status } = template;
  const message = () => {
    const params = paramsOf(template, values.value).map((value, at) => value || (variables[at] ?? ''));
    return { to: testNumbers[0].phone, template: name, params };
  };
  return (
    <>
      <div class="grid">
        <Variables template={template} values={values} />
      </div>
      {status === 'APPROVED' ? (
        <p>
          Copy as{' '}
          {copies.map(({ name, text }) => (
            <Copy key={name} label={name} text={() => text(message())} />
          ))}
        </p>
      ) : (
        <p class="preview">It is {status.toLowerCase()}; only an approved template can be sent.</p>
      )}
      <Fields of={{ ...template, variables: variables.join(', ') }} />
    </>
  );
}

interface CampaignDetailProps {
  readonly campaign: OutputOf<'campaigns'>[number];
}

/** A campaign, which is sent to contacts with a tag. */
export function CampaignDetail({ campaign }: CampaignDetailProps) {
  const contacts = useAsked('contents', 'contacts').value ?? [];
  const tag = useSignal('');
  const { counts, template, ...rest } = campaign;
  const tags = [...new Set(contacts.flatMap(({ tags }) => tags))].sort();
  const reached = contacts.filter(({ tags }) => tag.value === '' || tags.includes(tag.value)).length;
  const send = (event: Event) => {
    event.preventDefault();
    const fields = { campaign: campaign.id, ...(tag.value !== '' && { tag: tag.value }) };
    void act(() => ask('trigger', { event: 'broadcast.completed', fields }), 'Sent');
  };
  return (
    <>
      <p>
        Template <a href={linkTo('contents', `templates/${template}`)}>{template}</a>
      </p>
      <Fields of={{ ...rest, ...counts }} />
      {campaign.status !== 'COMPLETED' && (
        <form class="line" onSubmit={send}>
          <label>
            Contacts
            <select value={tag.value} onChange={({ currentTarget }) => (tag.value = currentTarget.value)}>
              <option value="">all</option>
              {tags.map((tag) => (
                <option key={tag} value={tag}>
                  with the tag {tag}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="main" disabled={reached === 0}>
            Send to {reached.toLocaleString('en')} {reached === 1 ? 'contact' : 'contacts'}
          </button>
        </form>
      )}
    </>
  );
}

/** The fields of a record, as the API names them. */
function Fields({ of }: { readonly of: object }) {
  return (
    <dl class="fields">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Text parts={[{ text: typeof value === 'string' ? value : JSON.stringify(value, null, 1) }]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
