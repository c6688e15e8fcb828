import type { Change, Resettable } from '../changes.ts';
import type { Campaign, Contact, Message, SandboxEvent, Template } from '../records.ts';
import type { Clock } from '../clock.ts';
import { compact } from '../compact.ts';
import { newDataId } from '../data-id.ts';
import type { Ledger } from '../ledger.ts';
import { inParts } from '../parts.ts';
import type { Mint } from '../random.ts';
import { Refusal } from '../refusal.ts';
import { seeds } from '../seeds.ts';
import type { State } from '../state.ts';
import { type GivenContents, readContents, told } from './read.ts';
import { clashesOf, seedChanges } from './seed.ts';

/** What a sandbox holds, in its user's hands. */
export interface Contents {
  /** Lets go of what was sent, of the logs, or of all; the contacts and the rest it began with come back. */
  reset(what: Resettable): void;
  /** Takes records, in place of those that it knows; all of them, or with a Refusal none. */
  seed(contents: unknown): Seeded;
  export(): Exported;
}

/** How many of each it took. */
interface Seeded {
  readonly contacts: number;
  readonly templates: number;
  readonly campaigns: number;
}

interface Exported {
  readonly contacts: readonly Contact[];
  readonly templates: readonly Template[];
  readonly campaigns: readonly Campaign[];
  readonly messages: readonly (Message & { readonly status: string })[];
  readonly events: readonly SandboxEvent[];
}

interface Office {
  readonly ledger: Ledger;
  readonly mint: Mint;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

export function createContents({ ledger, mint, clock, warn }: Office): Contents {
  const { state, commit } = ledger;
  return {
    reset(what) {
      commit([{ type: 'reset', what, ...(what !== 'logs' && { dataId: newDataId() }) }, ...beginning(what)]);
      compact(ledger, warn);
    },
    seed(value) {
      const { contents, problems } = readContents(value);
      checkNone(problems);
      checkNone(clashesOf(contents, state));
      commit(countedOn(contents, state, mint));
      let { serial } = state;
      const id = (prefix: string) => mint.id(prefix, ++serial);
      for (const part of inParts(seedChanges(contents, { state, now: clock.now(), id }))) commit(part);
      const { contacts, templates, campaigns } = contents;
      return { contacts: contacts.length, templates: templates.length, campaigns: campaigns.length };
    },
    export: () => ({
      contacts: state.contacts.list,
      templates: state.templates.list,
      campaigns: state.campaigns.list,
      messages: [...state.messages.values()].map(({ message, status }) => ({ ...message, status })),
      events: [...state.events],
    }),
  };
}

/** What is there again after a reset. */
function beginning(what: Resettable): readonly Change[] {
  if (what === 'all') return seeds;
  return what === 'contacts' ? seeds.filter(({ type }) => type === 'contact') : [];
}

function checkNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Refusal(400, told(problems).join('; '));
}

/** From a sandbox of the same seed come ids that this one has yet to give: it goes on after them. */
function countedOn(contents: GivenContents, { serial, events, calls }: State, mint: Mint): readonly Change[] {
  const { contacts, templates, campaigns } = contents;
  const ids = [...contacts, ...templates, ...campaigns].map(({ id }) => id);
  const highest = ids.reduce((most, id) => Math.max(most, mint.serialOf(id ?? '') ?? 0), 0);
  if (highest <= serial) return [];
  const [eventsBefore, callsBefore] = [events.cursor - events.length, calls.cursor - calls.length];
  return [{ type: 'counters', counters: { serial: highest, events: eventsBefore, calls: callsBefore } }];
}
