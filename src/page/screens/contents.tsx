import { useAsked } from '../asked.ts';
import { Parts, partOf } from '../parts.tsx';
import { CampaignDetail } from './contents/campaign.tsx';
import { ContactDetail } from './contents/contact.tsx';
import { Listing } from './contents/listing.tsx';
import { TemplateDetail } from './contents/template.tsx';

const parts = { contacts: 'Contacts', templates: 'Templates', campaigns: 'Campaigns' } as const;

/** Contacts, templates and campaigns: searchable tables, and the chosen row beside them. */
export function Contents() {
  const contacts = useAsked('contents', 'contacts').value;
  const templates = useAsked('contents', 'templates').value;
  const campaigns = useAsked(['contents', 'deliveries'], 'campaigns').value;
  const { part, id } = partOf(parts);
  return (
    <div class="sheet">
      <Parts screen="contents" parts={parts} />
      {part === 'contacts' && (
        <Listing
          key={part}
          part={part}
          chosen={id}
          rows={contacts}
          keyOf={({ phone }) => phone}
          textOf={({ phone, name, tags, attributes }) => [phone, name, ...tags, JSON.stringify(attributes)].join(' ')}
          columns={[
            { title: 'Phone', class: 'whole-word', cell: ({ phone }) => phone },
            { title: 'Name', cell: ({ name }) => short(name ?? '') },
            { title: 'Tags', class: 'wide', cell: ({ tags }) => short(tags.join(', ')) },
            { title: 'Attributes', class: 'wide', cell: ({ attributes }) => short(pairs(attributes)) },
            { title: 'Created', class: 'wide whole-word', cell: ({ created_at: at }) => at.slice(0, 10) },
          ]}
          titleOf={({ name, phone }) => (name ?? '') || phone}
          detail={(contact) => <ContactDetail contact={contact} />}
          example="bizmsg contacts create --set phone=+12025550142 --profile local"
        />
      )}
      {part === 'templates' && (
        <Listing
          key={part}
          part={part}
          chosen={id}
          rows={templates}
          keyOf={({ name }) => name}
          textOf={({ name, language, category, status, body }) => [name, language, category, status, body].join(' ')}
          columns={[
            { title: 'Name', cell: ({ name }) => short(name) },
            { title: 'Language', cell: ({ language }) => language },
            { title: 'Category', class: 'wide', cell: ({ category }) => short(category) },
            { title: 'Status', cell: ({ status }) => <span class={`state ${status}`}>{status}</span> },
            { title: 'Text', class: 'wide', cell: ({ body }) => short(body) },
          ]}
          titleOf={({ name }) => name}
          detail={(template) => <TemplateDetail template={template} />}
          example="bizmsg sandbox seed templates.json"
        />
      )}
      {part === 'campaigns' && (
        <Listing
          key={part}
          part={part}
          chosen={id}
          rows={campaigns}
          keyOf={({ id }) => id}
          textOf={({ name, template, status }) => [name, template, status].join(' ')}
          columns={[
            { title: 'Name', cell: ({ name }) => short(name) },
            { title: 'Template', class: 'wide', cell: ({ template }) => template },
            { title: 'Status', cell: ({ status }) => <span class={`state ${status}`}>{status}</span> },
            { title: 'Sent', class: 'number', cell: ({ counts, audience }) => `${counts.sent} of ${audience}` },
            { title: 'Delivered', class: 'number wide', cell: ({ counts }) => counts.delivered },
            { title: 'Read', class: 'number wide', cell: ({ counts }) => counts.read },
            { title: 'Failed', class: 'number wide', cell: ({ counts }) => counts.failed },
          ]}
          titleOf={({ name }) => name}
          detail={(campaign) => <CampaignDetail campaign={campaign} contacts={contacts ?? []} />}
          example="bizmsg sandbox trigger broadcast.completed --template welcome"
        />
      )}
    </div>
  );
}

/** A row stays small, whatever it contains. */
function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function pairs(attributes: object): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
