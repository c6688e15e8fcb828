import type { Choice } from './choices.ts';
import { testNumbers } from './receipts.ts';

const { delivers, fails, delivers5sLater } = testNumbers;

/** What leads to events, and what the data of each holds. */
export const eventChoices: readonly Choice[] = [
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
    choice: 'message_id, to, template, status; of message.failed also reason, with code and message',
  },
  {
    sections: ['§3', '§6'],
    open: "the moves between a message's states",
    choice: 'sent, delivered, read; or sent, failed: what is delivered no longer fails, and nothing goes back',
  },
  { sections: ['§6'], open: 'the data of flow.completed', choice: 'flow_run_id, flow, contact_id' },
  {
    sections: ['§6'],
    open: 'the data of broadcast.completed',
    choice: "campaign_id, name, template, audience, counts; each template's variable is sent as its own name",
  },
  {
    sections: ['§6'],
    open: 'when a broadcast campaign has finished',
    choice: 'when all are sent, whatever becomes of them: counts.sent is the audience, and the other counts stay 0',
  },
  { sections: ['§6'], open: 'the data of contact.created', choice: 'the contact, as it is listed' },
  {
    sections: ['§6'],
    open: 'the data of order.paid',
    choice: 'order_id, contact_id, amount as a decimal in a text, currency as three letters, provider',
  },
];
