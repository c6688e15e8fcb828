import { expect, it } from 'vitest';
import { findRows, idOf } from '../../../src/cli/output/rows.ts';

const one = { id: 1 };

it.each([
  ['a bare array', [one], [one]],
  ['a wrapper', { data: [one], next_cursor: null }, [one]],
  ['a wrapper at another depth', { result: { page: { items: [one] } } }, [one]],
  ['the shallowest of two', { items: [one], more: { others: [{ id: 2 }] } }, [one]],
  ['records, not the lists inside them', { data: [{ id: 1, tags: [{ a: 1 }] }] }, [{ id: 1, tags: [{ a: 1 }] }]],
  ['a filled list beside an empty one', { errors: [], data: [one] }, [one]],
  ['a filled list below an empty one', { errors: [], result: { data: [one] } }, [one]],
  ['an empty list', { data: [], next: null }, []],
  ['an empty bare list', [], []],
  ['several at one depth', { a: [one], b: [one] }, undefined],
  ['no list', { a: 1 }, undefined],
  ['a list of texts', { a: ['x'] }, undefined],
  ['a text', 'x', undefined],
  ['nothing', undefined, undefined],
])('findRows finds %s', (_name, body, rows) => {
  expect(findRows(body)).toEqual(rows);
});

it.each([
  [{ name: 'x', id: 7 }, 7],
  [{ message_id: 'm' }, 'm'],
  [{ contactId: 'c' }, 'c'],
  [{ uuid: 'u' }, 'u'],
  [{ paid: true }, undefined],
])('finds the id of %j', (row, id) => {
  expect(idOf(row)).toBe(id);
});
