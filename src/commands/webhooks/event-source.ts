import { type Context, newcomerNote } from '../../cli/command.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';

/** Who sends events to a listener: the sandbox, the service of an account, or whoever does. */
export type EventSource =
  | { readonly kind: 'sandbox'; readonly locator: Locator }
  | { readonly kind: 'account'; readonly name: string }
  | { readonly kind: 'anybody' };

/** It follows from who is calling. A sandbox that is called is started if need be. */
export async function eventSource(context: Context): Promise<EventSource> {
  const [{ winner, problem }, sandboxes] = await Promise.all([context.who(), context.sandboxes()]);
  if (problem && problem.code !== 'no-profile') throw problem;
  if (!winner) return { kind: 'anybody' };
  if (winner.source === 'newcomer') context.note('newcomer', newcomerNote);
  if (winner.profile === 'local') return { kind: 'sandbox', locator: await sandboxes.ensure() };
  const called = winner.address === null ? undefined : sandboxes.at(winner.address);
  if (called) return { kind: 'sandbox', locator: called };
  return { kind: 'account', name: winner.profile ?? 'of BIZMSG_API_KEY' };
}

/** Whether anything will come is not to be guessed. */
export function sayWhereFrom(context: Context, source: EventSource, url: string): void {
  if (source.kind === 'account') context.note('account', accountText(source.name, url));
  if (source.kind === 'anybody')
    context.note(
      'plain',
      `no profile says whose events these are, so this takes what is sent to ${url}; --profile local takes the sandbox's`,
    );
}

export function accountText(name: string, url: string): string {
  return [
    `events of the account ${name} come only through a public address that leads to ${url}`,
    'and is registered in the account: the API has no endpoint for that',
  ].join(' ');
}
