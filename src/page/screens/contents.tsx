import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { textParts } from '../../contract/template-text.ts';
import { useAsked } from '../asked.ts';
import { useKeys } from '../keys.ts';
import { linkTo } from '../route.ts';
import { Table } from '../table.tsx';
import { Text } from '../text.tsx';

const search = signal('');

/** Contacts, templates and campaigns. */
export function Contents() {
  const contacts = useAsked('contents', 'contacts').value ?? [];
  const templates = useAsked('contents', 'templates').value ?? [];
  const campaigns = useAsked('contents', 'campaigns').value ?? [];
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.focus() });
  const found = <T extends object>(rows: readonly T[]) =>
    rows.filter((row) => Object.values(row).join(' ').toLowerCase().includes(search.value.trim().toLowerCase()));
  return (
    <div class="list">
      <div class="tools">
        <input
          ref={field}
          type="search"
          aria-label="Search contacts, templates and campaigns"
          placeholder="Search"
          value={search.value}
          onInput={({ currentTarget }) => (search.value = currentTarget.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
        />
      </div>
      <h2>Contacts</h2>
      <Table
        label="Contacts"
        rows={found(contacts)}
        keyOf={({ id }) => id}
        empty="No contacts."
        columns={[
          { title: 'Phone', cell: ({ phone }) => <a href={linkTo('phones', phone)}>{phone}</a> },
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Tags', cell: ({ tags }) => tags.join(', ') },
          { title: 'Created', cell: ({ created_at: at }) => at.slice(0, 10) },
        ]}
      />
      <h2>Templates</h2>
      <Table
        label="Templates"
        rows={found(templates)}
        keyOf={({ id }) => id}
        empty="No templates."
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Language', cell: ({ language }) => language },
          {
            title: 'Status',
            cell: ({ status }) => <span class={status === 'APPROVED' ? 'good' : 'bad'}>{status}</span>,
          },
          {
            title: 'Text',
            cell: ({ body, variables }) => (
              <Text
                parts={textParts(
                  body,
                  variables,
                  variables.map((name) => `{{${name}}}`),
                )}
              />
            ),
          },
        ]}
      />
      <h2>Campaigns</h2>
      <Table
        label="Campaigns"
        rows={found(campaigns)}
        keyOf={({ id }) => id}
        empty="No campaigns."
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Template', cell: ({ template }) => template },
          { title: 'Status', cell: ({ status }) => status },
          { title: 'Sent', cell: ({ counts, audience }) => `${counts.sent} of ${audience}` },
          { title: 'Delivered', cell: ({ counts }) => counts.delivered },
          { title: 'Read', cell: ({ counts }) => counts.read },
          { title: 'Failed', cell: ({ counts }) => counts.failed },
        ]}
      />
    </div>
  );
}
