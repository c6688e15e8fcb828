import { expect, it } from 'vitest';
import { said } from './rig.ts';

it.each([
  ["a leaf's name alone", 'import people.csv', 'did you mean bizmsg contacts import?'],
  ['the same after help', 'help import', 'did you mean bizmsg contacts import?'],
  ['of several places', 'export', 'did you mean bizmsg contacts export or bizmsg sandbox export?'],
  ['a mistyped leaf', 'imprt', 'did you mean bizmsg contacts import?'],
  ['of many places', 'show', 'did you mean bizmsg runs show, bizmsg profiles show or bizmsg webhooks show?'],
  ['a group of a group', 'plan', 'did you mean bizmsg sandbox plan?'],
  ['both words in one', 'import-contacts', 'did you mean bizmsg contacts import?'],
  ['both in capitals', 'listContacts', 'did you mean bizmsg contacts list?'],
  ['the words turned round', 'list contacts', 'did you mean bizmsg contacts list?'],
  ['in one number', 'create contact', 'did you mean bizmsg contacts create?'],
  ['a part of a name', 'send', 'did you mean bizmsg send-template or bizmsg send-batch?'],
  ['a part and more', 'send-message', 'did you mean bizmsg send-template or bizmsg send-batch?'],
  ['a mistyped group', 'contact import', 'did you mean bizmsg contacts?'],
  ['what a group has not', 'delete contacts', 'the commands of bizmsg contacts are list, create, import, export'],
  ['nothing that is known', 'xyzzy', 'see bizmsg --help'],
  ['an option', 'version', 'it is an option: --version'],
])('knows at the top what is meant by %s: %s', async (_name, line, hint) => {
  const word = line.replace('help ', '').split(' ')[0];
  expect(await said(line)).toEqual([`"${word}" is not a command of bizmsg`, hint]);
});

it.each([
  ['runs', 'ls', 'did you mean bizmsg runs list?'],
  ['runs', 'delete', 'did you mean bizmsg runs forget?'],
  ['runs', 'rm', 'did you mean bizmsg runs forget?'],
  ['runs', 'resume', 'run the same command again: it sends the rest'],
  ['runs', 'restart', 'run the same command again with --again: it sends all rows once more'],
  ['runs', 'max-errors', 'the commands of bizmsg runs are list, show, resolve, close, forget'],
  [
    'runs',
    'new-only',
    'start its line again with --new-only, an option of bizmsg send-batch and bizmsg contacts import',
  ],
  ['contacts', 'new', 'did you mean bizmsg contacts create?'],
  ['contacts', 'add', 'did you mean bizmsg contacts create?'],
  ['contacts', 'delete', 'the commands of bizmsg contacts are list, create, import, export'],
  ['contacts', 'show', 'the commands of bizmsg contacts are list, create, import, export'],
  ['profiles', 'delete', 'did you mean bizmsg profiles remove?'],
  ['profiles', 'new', 'did you mean bizmsg profiles add?'],
  ['keys', 'create', 'did you mean bizmsg keys set or bizmsg sandbox keys create?'],
  ['sandbox keys', 'add', 'did you mean bizmsg sandbox keys create?'],
  ['sandbox keys', 'delete', 'did you mean bizmsg sandbox keys revoke?'],
  ['webhooks', 'trigger', 'did you mean bizmsg sandbox trigger?'],
  ['webhooks', 'ls', 'did you mean bizmsg sandbox webhooks list?'],
])('knows in %s what is meant by %s', async (group, word, hint) => {
  expect(await said(`${group} ${word}`)).toEqual([`"${word}" is not a command of bizmsg ${group}`, hint]);
});
