import { testNumbers } from '../state/receipts.ts';
import { alternatives } from './shapes.ts';

/** A point that the document leaves open, and our choice. */
export interface Choice {
  /** The sections that leave it open. */
  readonly sections: readonly string[];
  readonly open: string;
  readonly choice: string;
  /** Alternatives that `vary:SEED` may use instead. */
  readonly others?: readonly (string | number)[];
}

const { delivers, fails, delivers5sLater } = testNumbers;

/** Choices about when events happen and which data they contain. */
const eventChoices: readonly Choice[] = [
  {
    sections: ['§6'],
    open: 'the three test numbers',
    choice: `${delivers} is delivered and read, ${fails} fails, ${delivers5sLater} is delivered after exactly 5 s`,
  },
  {
    sections: ['§6'],
    open: 'what becomes of other numbers',
    choice: 'delivered after 150 to 400 ms, read 1 to 3 s later',
  },
  {
    sections: ['§6'],
    open: 'the data of message.received',
    choice: 'message_id, from, text, contact_id; an unknown sender becomes a contact first, with its own event',
  },
  {
    sections: ['§6'],
    open: 'the data of message.delivered, message.read and message.failed',
    choice: 'message_id, to, template, status; message.failed also has reason, with code and message',
  },
  {
    sections: ['§3', '§6'],
    open: "the moves between a message's states",
    choice: 'sent, delivered, read; or sent, failed: a delivered message cannot fail, and no state is ever undone',
  },
  { sections: ['§6'], open: 'the data of flow.completed', choice: 'flow_run_id, flow, contact_id' },
  {
    sections: ['§6'],
    open: 'the data of broadcast.completed',
    choice:
      'campaign_id, name, template, audience, counts; each variable has a sample value, such as Ada, or its own name',
  },
  {
    sections: ['§6'],
    open: 'when a broadcast campaign has finished',
    choice: 'when all messages are sent, delivered or not: counts.sent is the audience, and the other counts stay 0',
  },
  { sections: ['§6'], open: 'the data of contact.created', choice: 'the contact, as it is listed' },
  {
    sections: ['§6'],
    open: 'the data of order.paid',
    choice: 'order_id, contact_id, amount as a decimal string, currency as three letters, provider',
  },
];

export const choices: readonly Choice[] = [
  {
    sections: ['§2', '§4'],
    open: 'which fields of send-template are required',
    choice: 'all three',
  },
  { sections: ['§4'], open: 'a body whose content type is missing or another', choice: '400' },
  { sections: ['§4', '§7'], open: 'a known path with another method', choice: '404, like any other path' },
  {
    sections: ['§5.10'],
    open: 'what each scope allows',
    choice: 'read-only: the three GETs; send-only: send-template; full: all',
  },
  {
    sections: ['§5.10', '§7'],
    open: 'the status for a scope that lacks the endpoint',
    choice: '403',
    others: othersOf('scopeRefusal'),
  },
  {
    sections: ['§7'],
    open: 'the order of checks',
    choice: 'key, minute, path, plan, scope, body, template, params, month',
  },
  {
    sections: ['§3', '§5.2'],
    open: 'how switching to live mode affects the sandbox key and the live key',
    choice: "going live activates the live key; a key's own prefix never changes",
  },
  { sections: ['§2'], open: 'the form of an identifier', choice: 'the prefix shows the origin, such as msg_sandbox_…' },
  {
    sections: ['§2'],
    open: 'other fields of the answer to send-template',
    choice: 'none',
    others: othersOf('sent'),
  },
  {
    sections: ['§2', '§4'],
    open: 'the fields of a contact',
    choice: 'id, phone, name, tags, attributes, created_at; phone is required, unknown fields are ignored',
    others: othersOf('fields'),
  },
  {
    sections: ['§4'],
    open: 'the answer to a contact that is created',
    choice: '201 with the record; for a known phone 200 with the same record, and no event',
    others: [...othersOf('created'), ...othersOf('createdStatus')],
  },
  {
    sections: ['§2'],
    open: 'the fields of a template',
    choice: 'id, name, language, category, status, body, variables; a status is APPROVED, PENDING or REJECTED',
    others: [...othersOf('fields'), ...othersOf('letters')],
  },
  {
    sections: ['§2'],
    open: 'the fields of a campaign',
    choice: 'id, name, template, status, audience, counts, created_at',
    others: [...othersOf('fields'), ...othersOf('letters')],
  },
  {
    sections: ['§4'],
    open: 'the shape of a list',
    choice: '{"data":[…],"next_cursor":…}, in order of creation',
    others: othersOf('list'),
  },
  {
    sections: ['§4'],
    open: 'query parameters and pagination',
    choice: 'limit (100, at most 1,000) and cursor; the next page by Link and by next_cursor',
    others: othersOf('paging'),
  },
  { sections: ['§4'], open: 'an unknown template, or one not approved', choice: '404' },
  { sections: ['§2'], open: "a number of params that is not the template's", choice: '400 with a pointer to /params' },
  {
    sections: ['§7'],
    open: "the shape of an error's body",
    choice: "problem details of RFC 9457, titled with the document's own name",
    others: othersOf('error'),
  },
  {
    sections: ['§8.2'],
    open: "the month's messages used up",
    choice: '429 without Retry-After; the month is the calendar month in UTC',
    others: othersOf('monthUsedUp'),
  },
  {
    sections: ['§8.3'],
    open: 'headers about the rate',
    choice: "Retry-After on 429, and the IETF draft's RateLimit and RateLimit-Policy",
    others: othersOf('rate'),
  },
  {
    sections: ['§8.3'],
    open: 'how the minute is measured',
    choice: 'a fixed minute that the first request opens, one for the account',
  },
  {
    sections: ['§8.4'],
    open: 'which plan includes which endpoints',
    choice: 'every plan includes all of them, unless switched off',
  },
  {
    sections: ['§6'],
    open: "the fields of an event's payload",
    choice: '{"type","timestamp","data"}',
    others: othersOf('payload'),
  },
  ...eventChoices,
  { sections: ['§4'], open: 'the same request twice', choice: 'is executed twice' },
  {
    sections: ['§6'],
    open: 'how a URL is registered',
    choice: 'with sandbox endpoints add, for all events or some; only on this machine, unless allowed',
  },
  {
    sections: ['§6'],
    open: 'how a delivery is signed',
    choice:
      'according to Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature; with both secrets for a day after a rotation',
  },
  {
    sections: ['§6'],
    open: 'what a receiver has to answer, and what follows when it does not',
    choice:
      '2xx within 15 s; otherwise nine more attempts, after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h and up to 10 % longer; 410 stops them, Retry-After delays them, redirects are not followed',
  },
];

function othersOf(name: keyof typeof alternatives): readonly (string | number)[] {
  return alternatives[name].slice(1);
}
