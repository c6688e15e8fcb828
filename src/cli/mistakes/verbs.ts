/** What other programs call a command, and what it is called here; the first that a group has is meant. */
const verbs: readonly (readonly [typed: string, here: string])[] = [
  ['ls all index', 'list'],
  ['rm del delete destroy erase drop remove forget revoke unset', 'remove forget revoke clear'],
  ['add new create make insert', 'create add set'],
  ['edit update change modify', 'set'],
  ['get view describe info cat', 'show list'],
  ['run up serve', 'start'],
  ['down kill end', 'stop'],
  ['load upload', 'import seed'],
  ['dump download save', 'export'],
  ['log logs events', 'history requests'],
  ['select choose', 'use'],
  ['resend retry', 'replay redeliver'],
];

/** Words of the same meaning, the best first. */
export function meant(word: string): readonly string[] {
  return verbs.filter(([typed]) => typed.split(' ').includes(word)).flatMap(([, here]) => here.split(' '));
}
