import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { OutputOf } from '../sandbox/control/operations.ts';
import { ask, useAsked } from './ask.ts';
import { compose } from './compose.tsx';
import { templates } from './known.ts';
import { act, Command, Copy } from './notice.tsx';
import { goTo, linkTo, route } from './route.ts';
import { Line, Text, Variables } from './text.tsx';
import { countText } from './words.ts';

const parts = { contacts: Contacts, templates: Templates, campaigns: Campaigns } as const;

/** Contacts, templates and campaigns: lists with a search, and the chosen record beside them. */
export function Data() {
  const [part = '', ...key] = route.value.item.split('/');
  const name = part === 'templates' || part === 'campaigns' ? part : 'contacts';
  const Part = parts[name];
  return (
    <div class="place">
      <nav class="tabs line" aria-label="Data">
        {Object.keys(parts).map((part) => (
          <a key={part} href={linkTo('data', part)} aria-current={part === name ? 'page' : undefined}>
            {part.charAt(0).toUpperCase() + part.slice(1)}
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
  const contacts = useAsked(['contents'], 'contacts', { limit: 5_000 });
  const entries = contacts?.map((contact): Entry => {
    const { phone, name, tags, attributes } = contact;
    const text = [phone, ...tags].join(' · ');
    const detail = () => <Contact contact={contact} />;
    return { key: phone, title: name || phone, text, words: JSON.stringify(attributes), meta: '', detail };
  });
  const example = 'bizmsg contacts create --set phone=+12025550142 --profile local';
  return <Listing part="contacts" {...{ entries, chosen, example }} />;
}

function Templates({ chosen }: PartProps) {
  const entries = templates.value?.map((template): Entry => {
    const { name, language, status, body } = template;
    const detail = () => <Template template={template} />;
    return { key: name, title: name, text: body, words: language, meta: status, detail };
  });
  return <Listing part="templates" {...{ entries, chosen, example: 'bizmsg sandbox seed templates.json' }} />;
}

function Campaigns({ chosen }: PartProps) {
  const campaigns = useAsked(['contents', 'deliveries'], 'campaigns');
  const entries = campaigns?.map((campaign): Entry => {
    const { id, name, template, status, counts, audience } = campaign;
    const text = `${template}, ${counts.sent} of ${audience} sent, ${counts.failed} failed`;
    const detail = () => <Campaign campaign={campaign} />;
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
  /** Undefined until they have arrived. */
  readonly entries: readonly Entry[] | undefined;
  /** A command that adds a record. */
  readonly example: string;
}

const tones: Readonly<Record<string, string>> = { APPROVED: 'good', COMPLETED: 'good', REJECTED: 'bad' };

/** Entries that are rendered. */
const most = 200;

function Listing({ part, entries = [], chosen, example }: ListingProps) {
  const search = useSignal('');
  const matches = entries.filter(({ title, text, words, meta }) => {
    return [title, text, words, meta].join(' ').toLowerCase().includes(search.value.trim().toLowerCase());
  });
  const open = entries.find(({ key }) => key === chosen);
  const count = countText(entries.length, part.slice(0, -1));
  return (
    <div class={open ? 'split is-open' : 'split'}>
      <div class="listing">
        <div class="line">
          <input
            type="search"
            aria-label={`Search ${part}`}
            placeholder="Search"
            value={search.value}
            onInput={({ currentTarget }) => (search.value = currentTarget.value)}
          />
          <span role="status" class="note">
            {matches.length === entries.length ? count : `${matches.length.toLocaleString('en')} of ${count}`}
          </span>
        </div>
        <ul class="entries" aria-label={part}>
          {matches.slice(0, most).map(({ key, title, text, meta }) => (
            <li key={key}>
              <a href={linkTo('data', `${part}/${key}`)} aria-current={key === chosen}>
                <strong class="one-line">
                  <Line>{title}</Line>
                </strong>
                <span class="note one-line">
                  <Line>{text}</Line>
                </span>
                <small class={`is-${tones[meta] ?? 'wait'}`}>{meta}</small>
              </a>
            </li>
          ))}
        </ul>
        {matches.length > most && <p class="note">Search to see the others, or: bizmsg {part} list --profile local</p>}
        {entries.length === 0 && <Command>{example}</Command>}
      </div>
      {open && (
        <section class="detail" aria-label="Details" key={chosen}>
          <header class="line">
            <h2 dir="auto">
              <Line>{open.title}</Line>
            </h2>
            <button class="quiet" onClick={() => goTo('data', part)}>
              Close
            </button>
          </header>
          {open.detail()}
        </section>
      )}
    </div>
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
        <Copy text={phone}>Copy number</Copy>
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

function Campaign({ campaign }: { readonly campaign: OutputOf<'campaigns'>[number] }) {
  const { id, counts, status, template, ...rest } = campaign;
  const send = () => act(() => ask('trigger', { event: 'broadcast.completed', fields: { campaign: id } }), 'Sent');
  return (
    <>
      <div class="line">
        {status !== 'COMPLETED' && (
          <button class="main" onClick={() => void send()}>
            Send to all contacts
          </button>
        )}
        <a href={linkTo('data', `templates/${template}`)}>{template}</a>
      </div>
      <Fields of={{ id, status, ...rest, ...counts }} />
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
            <Text parts={[{ text: typeof value === 'string' ? value : JSON.stringify(value, null, 1) }]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
