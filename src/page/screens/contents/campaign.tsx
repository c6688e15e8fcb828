import { useSignal } from '@preact/signals';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { act, useAsked } from '../../asked.ts';
import { ask } from '../../connection.ts';
import { Fields } from '../../fields.tsx';
import { linkTo } from '../../route.ts';

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
