import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { OutputOf } from '../sandbox/control/operations.ts';
import { useAsked } from './ask.ts';
import { compose } from './compose.tsx';
import { templates } from './model.ts';
import { goTo, linkTo, route } from './route.ts';
import { Line, type Template, Text, Variables } from './text.tsx';
import { capital, countText, hasWords } from './words.ts';

const parts = ['contacts', 'templates', 'campaigns'] as const;

/** Contacts, templates and campaigns: lists with a search, whose chosen record is open. */
export function Data() {
  const [name, ...key] = route.value.item.split('/');
  const part = parts.find((part) => part === name) ?? 'contacts';
  const contacts = useAsked(['contents'], 'contacts', { limit: 5_000 }) ?? [];
  const campaigns = useAsked(['contents', 'deliveries'], 'campaigns') ?? [];
  const entries = {
    contacts: contacts.map(contactEntry),
    templates: (templates.value ?? []).map(templateEntry),
    campaigns: campaigns.map(campaignEntry),
  };
  return (
    <div class="place">
      <nav class="tabs line" aria-label="Data">
        {parts.map((name) => (
          <a key={name} href={linkTo('data', name)} aria-current={name === part ? 'page' : undefined}>
            {capital(name)}
          </a>
        ))}
      </nav>
      <Listing key={part} part={part} entries={entries[part]} chosen={key.join('/')} />
    </div>
  );
}

function contactEntry(record: OutputOf<'contacts'>[number]): Entry {
  const { phone, name, tags } = record;
  const text = [phone, ...tags].join(' · ');
  return { key: phone, title: name || phone, text, status: '', record, more: () => <Links phone={phone} /> };
}

function templateEntry(record: Template): Entry {
  const { name, status, body } = record;
  return { key: name, title: name, text: body, status, record, more: () => <Preview template={record} /> };
}

function campaignEntry(record: OutputOf<'campaigns'>[number]): Entry {
  const { id, name, template, status, counts, audience } = record;
  const text = `${template}, ${counts.sent} of ${audience} sent, ${counts.failed} failed`;
  return { key: id, title: name, text, status, record };
}

/** A record in a list. */
interface Entry {
  readonly key: string;
  readonly title: string;
  readonly text: string;
  readonly status: string;
  readonly record: object;
  /** Shown above its fields. */
  readonly more?: () => ComponentChildren;
}

interface ListingProps {
  readonly part: string;
  readonly entries: readonly Entry[];
  /** The key of the record whose fields are shown. */
  readonly chosen: string;
}

/** Entries that are rendered. */
const most = 200;

function Listing({ part, entries, chosen }: ListingProps) {
  const search = useSignal('');
  const matches = entries.filter(({ record }) => hasWords(JSON.stringify(record, null, 1), search.value));
  return (
    <>
      <div class="line">
        <input
          type="search"
          aria-label={`Search ${part}`}
          placeholder="Search"
          value={search.value}
          onInput={({ currentTarget }) => (search.value = currentTarget.value)}
        />
        <span role="status" class="note">
          {countText(matches.length, part.slice(0, -1))}
        </span>
      </div>
      <ul class="entries" aria-label={part}>
        {matches.slice(0, most).map((entry) => (
          <EntryView key={entry.key} part={part} entry={entry} isOpen={entry.key === chosen} />
        ))}
      </ul>
      {matches.length > most && <p class="nothing">Search to see the others.</p>}
    </>
  );
}

const tones: Readonly<Record<string, string>> = { APPROVED: 'good', COMPLETED: 'good', REJECTED: 'bad' };

interface EntryViewProps {
  readonly part: string;
  readonly entry: Entry;
  readonly isOpen: boolean;
}

/** A line of a list; a click opens or closes its record. */
function EntryView({ part, entry: { key, title, text, status, record, more }, isOpen }: EntryViewProps) {
  return (
    <li>
      <a href={linkTo('data', isOpen ? part : `${part}/${key}`)} aria-expanded={isOpen}>
        <strong class="one-line">
          <Line>{title}</Line>
        </strong>
        <span class="note one-line">
          <Line>{text}</Line>
        </span>
        <small class={`is-${tones[status] ?? 'wait'}`}>{status}</small>
      </a>
      {isOpen && (
        <section class="detail" aria-label="Details">
          {more?.()}
          <dl class="pairs">
            {Object.entries(record).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Text>{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</Text>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </li>
  );
}

function Links({ phone }: { readonly phone: string }) {
  return (
    <div class="line">
      <button class="main" onClick={() => compose(phone)}>
        Send
      </button>
      <button onClick={() => goTo('activity', phone)}>Phone</button>
    </div>
  );
}

/** A template as its recipient reads it, with values for its variables. */
function Preview({ template }: { readonly template: Template }) {
  const values = useSignal<Readonly<Record<string, string>>>({});
  const { status } = template;
  return (
    <>
      <Variables template={template} values={values} />
      {status !== 'APPROVED' && (
        <p class="note">It is {status.toLowerCase()}; only an approved template can be sent.</p>
      )}
    </>
  );
}
