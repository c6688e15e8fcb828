import type { Registered } from '../state.ts';

/** What is other about a webhook that was added again. */
export function changedIn(before: Registered, after: Registered): readonly string[] {
  const [own, owned] = [after.secret?.secret, before.secret?.secret];
  return [
    ...(own === owned ? [] : [secretText(own, owned)]),
    ...(eventsText(before) === eventsText(after) ? [] : [`${eventsText(after)} now`]),
    ...(before.disabled === undefined ? [] : ['it is enabled again']),
  ];
}

function secretText(own: string | undefined, owned: string | undefined): string {
  if (own === undefined) return 'its own secret is gone';
  return owned === undefined ? 'it has a secret of its own now' : 'its own secret is another one now';
}

function eventsText({ webhook: { events } }: Registered): string {
  return events === 'all' ? 'all events' : events.toSorted().join(', ');
}
