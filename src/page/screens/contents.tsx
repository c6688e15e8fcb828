import { useAsked } from '../asked.ts';
import { partOf, Parts } from '../parts.tsx';
import { CampaignDetail, ContactDetail, TemplateDetail } from './contents/details.tsx';
import { Listing } from './contents/listing.tsx';

const parts = { contacts: 'Contacts', templates: 'Templates', campaigns: 'Campaigns' } as const;

/** Older ones are listed by the command only. */
const most = 5_000;

/** Contacts, templates and campaigns: searchable tables, and the chosen row beside them. */
export function Contents() {
  const { part, id } = partOf(parts);
  return (
    <div class="sheet">
      <Parts screen="contents" parts={parts} />
      {part === 'contacts' && <Contacts chosen={id} />}
      {part === 'templates' && <Templates chosen={id} />}
      {part === 'campaigns' && <Campaigns chosen={id} />}
    </div>
  );
}

interface PartProps {
  /** The key of the row whose details are shown. */
  readonly chosen: string;
}

function Contacts({ chosen }: PartProps) {
  const contacts = useAsked('contents', 'contacts', { limit: most }).value;
  return (
    <>
      <Listing
        part="contacts"
        chosen={chosen}
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
      {contacts?.length === most && (
        <p class="older">
          Older contacts: <code>bizmsg contacts list --profile local</code>
        </p>
      )}
    </>
  );
}

function Templates({ chosen }: PartProps) {
  const templates = useAsked('contents', 'templates').value;
  return (
    <Listing
      part="templates"
      chosen={chosen}
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
  );
}

function Campaigns({ chosen }: PartProps) {
  const campaigns = useAsked(['contents', 'deliveries'], 'campaigns').value;
  return (
    <Listing
      part="campaigns"
      chosen={chosen}
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
      detail={(campaign) => <CampaignDetail campaign={campaign} />}
      example="bizmsg sandbox trigger broadcast.completed --template welcome"
    />
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
