import { expect } from 'vitest';
import type { EventName } from '../../../src/contract/events.ts';
import { isRecord } from '../../../src/contract/readers.ts';
import { order, paths } from '../calls.ts';
import type { Proof } from './chosen-answers.ts';
import type { Wire } from '../over-http.ts';
import { receiver } from '../receiver.ts';

type Told = readonly (readonly [type: unknown, data: Readonly<Record<string, unknown>>])[];

/** Returns the payload that a webhook receives for a triggered event. */
async function told(to: Wire, event: EventName, fields: Readonly<Record<string, unknown>> = {}): Promise<Told> {
  const { sandbox } = to.server;
  const { url, received } = await receiver();
  const { id } = sandbox.webhooks.add({ url });
  sandbox.trigger(event, fields);
  await sandbox.settled();
  sandbox.webhooks.remove(id);
  return received.map(({ type, data }) => [type, data]);
}

const anId = (kind: string) => expect.stringMatching(new RegExp(`^${kind}_sandbox_`));

/** Proves each choice about triggered events, by the point that the document leaves open. */
export const triggerProofs: Readonly<Record<string, Proof>> = {
  'the data of message.received': {
    holds: async (to) => {
      const fields = { from: '+12025550177', text: 'Hi' };
      const data = { message_id: expect.any(String), ...fields, contact_id: anId('con') };
      expect(await told(to, 'message.received', fields)).toEqual([
        ['contact.created', expect.objectContaining({ phone: fields.from })],
        ['message.received', data],
      ]);
      expect(await told(to, 'message.received', fields)).toEqual([['message.received', data]]);
    },
  },
  'the data of message.delivered, message.read and message.failed': {
    holds: async (to) => {
      const { to: phone, template } = order;
      for (const [status, more] of [
        ['delivered', {}],
        ['read', {}],
        ['failed', { reason: { code: 'undeliverable', message: 'this message was made to fail' } }],
      ] as const) {
        await to.post(paths.send, order);
        const last = (await told(to, `message.${status}`)).at(-1);
        const message_id = to.server.sandbox.messages().at(-1)?.id;
        expect(last).toEqual([`message.${status}`, { message_id, to: phone, template, status, ...more }]);
      }
    },
  },
  "the moves between a message's states": {
    holds: async (to) => {
      const { sandbox } = to.server;
      const refused: string[] = [];
      for (const moves of ['read delivered', 'delivered failed', 'failed delivered', 'failed read', 'delivered read']) {
        await to.post(paths.send, order);
        const [first, second] = moves.split(' ').map((word): EventName => eventOf(word));
        sandbox.trigger(first ?? 'message.read', {});
        const message = sandbox.messages().at(-1)?.id;
        try {
          sandbox.trigger(second ?? 'message.read', { message });
        } catch {
          refused.push(moves);
        }
      }
      expect(refused).toEqual(['read delivered', 'delivered failed', 'failed delivered', 'failed read']);
    },
  },
  'the data of flow.completed': {
    holds: async (to) => {
      const data = { flow_run_id: anId('run'), flow: 'welcome', contact_id: 'con_sandbox_1' };
      expect(await told(to, 'flow.completed', { flow: 'welcome' })).toEqual([['flow.completed', data]]);
    },
  },
  'the data of broadcast.completed': {
    holds: async (to) => {
      const [only] = await told(to, 'broadcast.completed');
      expect(only?.[0]).toBe('broadcast.completed');
      expect(Object.keys(only?.[1] ?? {})).toEqual(['campaign_id', 'name', 'template', 'audience', 'counts']);
      expect(to.server.sandbox.messages().map(({ params }) => params)).toEqual(
        Array.from({ length: 5 }, () => ['Ada', 'A-1042']),
      );
    },
  },
  'when a broadcast campaign has finished': {
    holds: async (to) => {
      const data = (await told(to, 'broadcast.completed'))[0]?.[1];
      const counts = { sent: 5, delivered: 0, read: 0, failed: 0 };
      expect([data, to.server.sandbox.messages().length]).toMatchObject([{ audience: 5, counts }, 5]);
      const { body } = await to.get(paths.campaigns);
      const campaigns = isRecord(body) ? body['data'] : [];
      expect(campaigns).toContainEqual(
        expect.objectContaining({ id: data?.['campaign_id'], status: 'COMPLETED', counts }),
      );
    },
  },
  'the data of contact.created': {
    holds: async (to) => {
      const data = (await told(to, 'contact.created', { phone: '+12025550177' }))[0]?.[1];
      const { body } = await to.get(paths.contacts);
      expect(isRecord(body) ? body['data'] : []).toContainEqual(data);
    },
  },
  'the data of order.paid': {
    holds: async (to) => {
      const fields = { amount: '12.50', currency: 'EUR', provider: 'stripe' };
      const data = { order_id: anId('ord'), contact_id: 'con_sandbox_1', ...fields };
      expect(await told(to, 'order.paid', fields)).toEqual([['order.paid', data]]);
    },
  },
};

function eventOf(word: string): EventName {
  if (word === 'read') return 'message.read';
  return word === 'failed' ? 'message.failed' : 'message.delivered';
}
