import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { OutputOf } from '../sandbox/control/operations.ts';
import { useAsked } from './ask.ts';
import { compose } from './compose.tsx';
import { templates } from './model.ts';
import { Command } from './notice.tsx';
import { linkTo, route } from './route.ts';
import { Line, Text, Variables } from './text.tsx';
import { capital, countText } from './words.ts';

const parts = { contacts: Contacts, templates: Templates, campaigns: Campaigns } as const;

/** Contacts, templates and campaigns: lists with a search, whose chosen entry is open. */
export function Data() {
  const [part = '', ...key] = route.value.item.split('/');
  const name = part === 'templates' || part === 'campaigns' ? part : 'contacts';
  const Part = parts[name];
  return (
    <div class="place">
      <nav class="tabs line" aria-label="Data">
        {Object.keys(parts).map((part) => (
          <a key={part} href={linkTo('data', part)} aria-current={part === name ? 'page' : undefined}>
            {capital(part)}
          </a>
        ))}
      </nav>
      <Part key={name} chosen={key.join('/')} />
    </div>
  );
}

interface PartProps {
  /** The key of the record whose details are shown. */
  readonly chosen: string;
}

function Contacts({ chosen }: PartProps) {
  const contacts = useAsked(['contents'], 'contacts', { limit: 5_000 }) ?? [];
  const entries = contacts.map((contact): Entry => {
    const { phone, name, tags, attributes } = contact;
    const detail = () => <Contact contact={contact} />;
    const text = [phone, ...tags].join(' · ');
    return { key: phone, title: name || phone, text, words: JSON.stringify(attributes), meta: '', detail };
  });
  const example = 'bizmsg contacts create --set phone=+12025550142 --profile local';
  return <Listing part="contacts" {...{ entries, chosen, example }} />;
}

function Templates({ chosen }: PartProps) {
  const entries = (templates.value ?? []).map((template): Entry => {
    const { name, language, status, body } = template;
    const detail = () => <Template template={template} />;
    return { key: name, title: name, text: body, words: language, meta: status, detail };
  });
  return <Listing part="templates" {...{ entries, chosen, example: 'bizmsg sandbox seed templates.json' }} />;
}

function Campaigns({ chosen }: PartProps) {
  const campaigns = useAsked(['contents', 'deliveries'], 'campaigns') ?? [];
  const entries = campaigns.map(({ counts, ...campaign }): Entry => {
    const { id, name, template, status, audience } = campaign;
    const text = `${template}, ${counts.sent} of ${audience} sent, ${counts.failed} failed`;
    const detail = () => <Fields of={{ ...campaign, ...counts }} />;
    return { key: id, title: name, text, words: id, meta: status, detail };
  });
  const example = 'bizmsg sandbox trigger broadcast.completed --template welcome';
  return <Listing part="campaigns" {...{ entries, chosen, example }} />;
}

/** A record in a list. */
interface Entry {
  readonly key: string;
  readonly title: string;
  readonly text: string;
  /** Searched, but not shown. */
  readonly words: string;
  readonly meta: string;
  readonly detail: () => ComponentChildren;
}

interface ListingProps extends PartProps {
  readonly part: string;
  readonly entries: readonly Entry[];
  /** A command that adds a record. */
  readonly example: string;
}

const tones: Readonly<Record<string, string>> = { APPROVED: 'good', COMPLETED: 'good', REJECTED: 'bad' };

/** Entries that are rendered. */
const most = 200;

function Listing({ part, entries, chosen, example }: ListingProps) {
  const search = useSignal('');
  const matches = entries.filter(({ title, text, words, meta }) => {
    return [title, text, words, meta].join(' ').toLowerCase().includes(search.value.trim().toLowerCase());
  });
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
      {matches.length > most && <p class="note">Search to see the others, or: bizmsg {part} list --profile local</p>}
      {entries.length === 0 && <Command>{example}</Command>}
    </>
  );
}

interface EntryViewProps {
  readonly part: string;
  readonly entry: Entry;
  readonly isOpen: boolean;
}

/** A line of a list; a click opens or closes its details. */
function EntryView({ part, entry: { key, title, text, meta, detail }, isOpen }: EntryViewProps) {
  return (
    <li>
      <a href={linkTo('data', isOpen ? part : `${part}/${key}`)} aria-expanded={isOpen}>
        <strong class="one-line">
          <Line>{title}</Line>
        </strong>
        <span class="note one-line">
          <Line>{text}</Line>
        </span>
        <small class={`is-${tones[meta] ?? 'wait'}`}>{meta}</small>
      </a>
      {isOpen && (
        <section class="detail" aria-label="Details">
          {detail()}
        </section>
      )}
    </li>
  );
}

function Contact({ contact }: { readonly contact: OutputOf<'contacts'>[number] }) {
  const { phone } = contact;
  return (
    <>
      <div class="line">
        <button class="main" onClick={() => compose(phone)}>
          Send
        </button>
        <a href={linkTo('activity', phone)}>Phone</a>
      </div>
      <Fields of={contact} />
    </>
  );
}

/** A template as its recipient reads it, with values for its variables. */
function Template({ template }: { readonly template: OutputOf<'templates'>[number] }) {
  const values = useSignal<Readonly<Record<string, string>>>({});
  const { status, variables } = template;
  return (
    <>
      <Variables template={template} values={values} />
      {status !== 'APPROVED' && (
        <p class="note">It is {status.toLowerCase()}; only an approved template can be sent.</p>
      )}
      <Fields of={{ ...template, variables: variables.join(', ') }} />
    </>
  );
}

/** The fields of a record, as the API names them. */
function Fields({ of }: { readonly of: object }) {
  return (
    <dl class="pairs">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Text>{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</Text>
          </dd>
        </div>
      ))}
    </dl>
  );
}
