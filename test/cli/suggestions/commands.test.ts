import { expect, it } from 'vitest';
import { refusal } from './rig.ts';

it.each([
  ['the name of a command without its group', 'import people.csv', 'did you mean bizmsg contacts import?'],
  ['the same after help', 'help import', 'did you mean bizmsg contacts import?'],
  ['a mistyped command', 'imprt', 'did you mean bizmsg contacts import?'],
  ['a name in many groups', 'show', 'did you mean bizmsg runs show, bizmsg templates show or bizmsg webhooks show?'],
  ['a group of a group', 'plan', 'did you mean bizmsg sandbox plan?'],
  ['both words joined', 'import-contacts', 'did you mean bizmsg contacts import?'],
  ['both in camel case', 'listContacts', 'did you mean bizmsg contacts list?'],
  ['swapped words', 'list contacts', 'did you mean bizmsg contacts list?'],
  ['a singular', 'create contact', 'did you mean bizmsg contacts create?'],
  ['a part of a name', 'send', 'did you mean bizmsg send-template or bizmsg send-batch?'],
  ['a part and another word', 'send-message', 'did you mean bizmsg send-template or bizmsg send-batch?'],
  ['a mistyped group', 'contact import', 'did you mean bizmsg contacts import?'],
  [
    'a command that the group does not have',
    'delete contacts',
    'the commands of bizmsg contacts are list, create, import, export',
  ],
  ['an unknown word', 'xyzzy', 'see bizmsg --help'],
  ['one that is not needed', 'init', 'bizmsg login adds a profile; nothing else is needed'],
  ['another name of profiles', 'config', 'the settings are in profiles: bizmsg profiles list, or profiles set'],
  ['a reply', 'reply', expect.stringContaining('bizmsg sandbox trigger message.received')],
])('suggests at the top for %s: %s', async (_name, line, hint) => {
  const word = line.replace('help ', '').split(' ')[0];
  expect(await refusal(line)).toEqual([`"${word}" is not a command of bizmsg`, hint]);
});

it.each([
  ['runs', 'ls', 'did you mean bizmsg runs list?'],
  ['runs', 'delete', 'did you mean bizmsg runs forget?'],
  ['runs', 'rm', 'did you mean bizmsg runs forget?'],
  ['runs', 'resume', 'run the same command again: it sends the rest'],
  ['runs', 'restart', 'run the same command with --job NAME --again: it sends all rows once more'],
  ['runs', 'at-most', 'the commands of bizmsg runs are list, show, resolve, close, forget'],
  ['contacts', 'new', 'did you mean bizmsg contacts create?'],
  ['contacts', 'add', 'did you mean bizmsg contacts create?'],
  ['contacts', 'delete', 'the commands of bizmsg contacts are list, create, import, export'],
  ['contacts', 'show', 'the commands of bizmsg contacts are list, create, import, export'],
  ['profiles', 'new', 'did you mean bizmsg profiles set?'],
  ['sandbox keys', 'add', 'did you mean bizmsg sandbox keys create?'],
  ['sandbox keys', 'delete', 'did you mean bizmsg sandbox keys revoke?'],
  ['webhooks', 'trigger', 'did you mean bizmsg sandbox trigger?'],
  ['webhooks', 'ls', 'did you mean bizmsg webhooks history?'],
  ['sandbox', 'clear', expect.stringContaining('bizmsg sandbox reset all')],
])('suggests in %s for %s', async (group, word, hint) => {
  expect(await refusal(`${group} ${word}`)).toEqual([`"${word}" is not a command of bizmsg ${group}`, hint]);
});
