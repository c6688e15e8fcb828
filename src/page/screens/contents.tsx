import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask, useAsked } from '../ask.ts';
import { copies } from '../copies.ts';
import { Empty } from '../empty.tsx';
import { Form } from '../form.tsx';
import { act, Copy } from '../notice.tsx';
import { testNumbers } from '../phones.ts';
import { goTo, linkTo, partOf } from '../route.ts';
import { type Column, Detail, Parts, Search, Split, Table } from '../table.tsx';
import { marked, paramsOf, Text, Variables } from '../text.tsx';

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
  const contacts = useAsked('contents', 'contacts', { limit: most });
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
  const templates = useAsked('contents', 'templates');
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
  const campaigns = useAsked(['contents', 'deliveries'], 'campaigns');
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
function short(text: string): ComponentChildren {
  return marked(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}

function pairs(attributes: object): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

interface ListingProps<T> {
  /** The name of the rows, such as `contacts`. */
  readonly part: string;
  /** Undefined until they have arrived. */
  readonly rows: readonly T[] | undefined;
  readonly keyOf: (row: T) => string;
  /** The key of the row whose details are shown. */
  readonly chosen: string;
  /** The text to search. */
  readonly textOf: (row: T) => string;
  readonly columns: readonly Column<T>[];
  readonly titleOf: (row: T) => string;
  readonly detail: (row: T) => ComponentChildren;
  /** A command that adds a row. */
  readonly example: string;
}

/** A table with a search, and the details of the chosen row. */
function Listing<T>({ part, rows, keyOf, chosen, textOf, columns, titleOf, detail, example }: ListingProps<T>) {
  const search = useSignal('');
  const texts = useMemo(() => rows?.map((row) => ({ row, text: textOf(row).toLowerCase() })) ?? [], [rows]);
  const wanted = search.value.trim().toLowerCase();
  const found = useMemo(() => texts.flatMap(({ row, text }) => (text.includes(wanted) ? [row] : [])), [texts, wanted]);
  const open = rows?.find((one) => keyOf(one) === chosen);
  const choose = (key: string) => goTo('contents', key === '' ? part : `${part}/${key}`);
  if (!rows) return <p class="empty">Loading</p>;
  const count = wanted === '' ? rows.length : `${found.length.toLocaleString('en')} of ${rows.length}`;
  return (
    <Split
      detail={
        open && (
          <Detail key={chosen} title={titleOf(open).slice(0, 200)} onClose={() => choose('')}>
            {detail(open)}
          </Detail>
        )
      }
    >
      <div class="tools">
        <Search label={`Search ${part}`} text={search} />
        <span role="status" class="preview">
          {count.toLocaleString('en')} {part}
        </span>
      </div>
      <Table
        label={part}
        rows={found}
        keyOf={keyOf}
        chosen={chosen}
        onChoose={choose}
        columns={columns}
        empty={
          rows.length > 0 ? (
            `None of the ${part} contains “${search.value}”.`
          ) : (
            <Empty title={`No ${part} yet`} command={example} />
          )
        }
      />
    </Split>
  );
}

function ContactDetail({ contact }: { readonly contact: OutputOf<'contacts'>[number] }) {
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
function TemplateDetail({ template }: { readonly template: OutputOf<'templates'>[number] }) {
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

/** A campaign, which is sent to contacts with a tag. */
function CampaignDetail({ campaign }: { readonly campaign: OutputOf<'campaigns'>[number] }) {
  const contacts = useAsked('contents', 'contacts') ?? [];
  const tag = useSignal('');
  const { counts, template, ...rest } = campaign;
  const tags = [...new Set(contacts.flatMap(({ tags }) => tags))].sort();
  const reached = contacts.filter(({ tags }) => tag.value === '' || tags.includes(tag.value)).length;
  const send = () => {
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
        <Form class="line" onGiven={send}>
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
        </Form>
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
