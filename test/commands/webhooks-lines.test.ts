import { expect, it } from 'vitest';
import { eventText } from '../../src/commands/webhooks/lines.ts';
import { openSpacedPhones } from '../../src/contract/phone.ts';
import { createUi, plain } from '../../src/cli/output/ui.ts';
import type { EventItem, ForwardedItem } from '../../src/webhooks/items.ts';

const at = new Date(2026, 10, 21, 14, 2, 11, 120);
const event: EventItem = {
  type: 'event',
  id: 'e12',
  received_at: at.toISOString(),
  name: 'message.delivered',
  message_id: 'msg_8Kd2f',
  phone: '+491701000037',
  reason: null,
  about: null,
  signature: { verdict: 'good' },
  path: '/',
  headers: {},
  body: null,
};
const reply = { name: 'message.received', message_id: 'msg_in_1', about: 'STOP' } as const;
const failed = { name: 'message.failed', reason: 'undeliverable: this test number always fails' };
const bad = { verdict: 'bad', why: 'it was signed with another secret, or its body was changed' } as const;
const ok = { status: 200, ms: 41 };

interface Case {
  readonly event?: Partial<EventItem>;
  readonly forward?: Partial<ForwardedItem>;
  readonly width?: number;
  readonly full?: boolean;
}

const head = '14:02:11 message.delivered  +49 170 1000037  ';
const replied = '14:02:11 message.received   +49 170 1000037  ';

it.each<readonly [name: string, change: Case, text: readonly string[]]>([
  ['a forwarded event', { forward: ok }, [`${head}msg_8Kd2f         → 200   41 ms`]],
  [
    'a reply that opted out',
    { event: { ...reply, opt_out: 'opted out' }, forward: { status: 200, ms: 38 } },
    [`${replied}"STOP" opted out  → 200   38 ms`],
  ],
  [
    'a long reply, cut to the width',
    { event: { ...reply, about: 'Thank you for the flowers, they came today' } },
    [`${replied}"Thank you for the flowers, they …"`],
  ],
  [
    'a long id, cut in the middle',
    { event: { message_id: 'msg_sandbox_6ba533335c00000m' }, forward: ok },
    [`${head}msg_…3335c00000m  → 200   41 ms`],
  ],
  [
    'a failed forward, with three lines of the answer',
    { forward: { status: 500, ms: 7, body: 'Error: no database\n  at a\n  at b\n  at c\n', retry_in: 1_000 } },
    [`${head}msg_8Kd2f         → 500    7 ms`, '  Error: no database', '    at a', '    at b', '  again in 1 s'],
  ],
  [
    'a forward without an answer',
    { forward: { error: 'connection refused by 127.0.0.1:3000', ms: 2 } },
    [`${head}msg_8Kd2f         → failed    2 ms`, '  connection refused by 127.0.0.1:3000'],
  ],
  [
    'a bad signature, which always says why',
    { event: { signature: bad } },
    [`${head}msg_8Kd2f`, '  bad signature: it was signed with another secret, or its body was changed'],
  ],
  [
    'a terminal that is too narrow for columns',
    { forward: ok, width: 50 },
    ['14:02:11.120  message.delivered  +491701000037', '  msg_8Kd2f  → 200   41 ms'],
  ],
  [
    'a long reply on it, of which it shows the beginning',
    { event: { ...reply, about: 'Thank you! '.repeat(100_000) }, width: 30 },
    [
      '14:02:11.120  message.received',
      '  +491701000037  "Thank you!',
      '  Thank you! Thank you! Thank',
      '  you! Thank you! Th…"',
    ],
  ],
])('prints %s', async (_, { event: change, forward, width = 80, full = false }, text) => {
  const printed = {
    event: { ...event, ...change },
    isForwarded: forward !== undefined,
    forward:
      forward &&
      ({ type: 'forwarded', event: 'e12', url: 'http://localhost:3000/', ms: 1, attempt: 1, ...forward } as const),
  };
  const lines = eventText(printed, ui(width, true), { full, phone: await openSpacedPhones() }).split('\n');
  expect(lines).toEqual(text);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.max(width, 80));
});

it('prints one line to a pipe, with the time in UTC and nothing cut', () => {
  const printed = { event: { ...event, ...failed }, isForwarded: false };
  const form = { full: false, phone: (phone: string) => phone };
  expect(eventText(printed, ui(40, false), form)).toBe(
    `${at.toISOString()}  message.failed  +491701000037  undeliverable: this test number always fails`,
  );
});

function ui(columns: number, isTTY: boolean) {
  const out = { isTTY, columns, write: async () => {} };
  return createUi({ stdout: out, stderr: out, now: () => at.getTime() }, plain, () => undefined);
}
