import { expect, it } from 'vitest';
import { announced, endpoints, statuses } from '../../src/contract/endpoints.ts';
import { events } from '../../src/contract/events.ts';
import { isLocalKey, keyPrefixes, modeOf, scopes } from '../../src/contract/keys.ts';
import { pages } from '../support/docs.ts';

/** The rows of the table of the document that has this header. */
function table(header: string): readonly (readonly string[])[] {
  const lines = pages.get('docs/api.md')?.split(new RegExp(`^\\| ${header} .*\n.*\n`, 'm'))[1] ?? '';
  const rows = lines.slice(0, lines.search(/\n\n|$/)).split('\n');
  return rows.map((row) => row.split('|').map((cell) => cell.trim())).map((cells) => cells.slice(1, -1));
}

it('§2: the features that are only announced, by family', () => {
  const rows = table('Resource family').map(([family, , features]) => [family, features]);
  expect(announced.map(({ family, features }) => [family, features.join(', ')])).toEqual(rows);
});

it('§2: a message', () => {
  const { body, answer } = endpoints.sendTemplate;
  const message = { to: '+12025550101', template: 'a', params: ['x'] };
  expect(body({ ...message, more: 1 })).toEqual(message);
  expect(answer({ message_id: 'm', more: null })).toEqual({ message_id: 'm', more: null });
});

it('§5: keys and scopes', () => {
  expect(keyPrefixes).toEqual({ sandbox: 'sk_test_', live: 'sk_live_' });
  expect(scopes).toEqual(['read-only', 'send-only', 'full']);
  expect(['sk_test_1', 'sk_live_1', 'pk_1'].map(modeOf)).toEqual(['sandbox', 'live', undefined]);
  expect(['sk_test_local-1', 'sk_live_local-1'].map(isLocalKey)).toEqual([true, true]);
  expect(['sk_live_1', 'local-1'].map(isLocalKey)).toEqual([false, false]);
});

it('§6: the events and when they fire', () => {
  expect(Object.entries(events)).toEqual(table('Event'));
});

it('§7: the statuses and their causes', () => {
  const rows = Object.entries(statuses).map(([status, { name, cause }]) => [status, name, cause]);
  expect(rows).toEqual(table('Status'));
});
