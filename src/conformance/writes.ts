import { type Probe, write } from './probes.ts';

/** What the user lets it do at the service. */
export interface Allowed {
  /** So many requests that may change something, and no more. */
  readonly most: number;
  readonly to: string;
  readonly template: string | undefined;
  readonly params: readonly string[];
  /** The body of the contact; its phone alone if not given. */
  readonly contact: object | undefined;
}

export interface Writes {
  readonly message: Planned;
  readonly contact: Planned;
}

export type Planned = { readonly probe: Probe } | { readonly why: string };

/** The message goes first. */
export function planWrites(allowed: Allowed | undefined): Writes {
  if (!allowed || allowed.most === 0) return { message: { why: toAllow }, contact: { why: toAllow } };
  const { most, to, template, params, contact = { phone: to } } = allowed;
  const message: Planned =
    template === undefined
      ? { why: 'it takes --template, with the name of an approved one' }
      : { probe: write('sendTemplate', { to, template, params }) };
  const left = 'probe' in message ? most - 1 : most;
  return {
    message,
    contact: left > 0 ? { probe: write('createContact', contact) } : { why: 'it takes --allow-writes 2' },
  };
}

const toAllow = 'it takes --allow-writes and --to';

/** In the order in which they are made. */
export function plannedIn({ message, contact }: Writes): readonly Probe[] {
  return [message, contact].flatMap((one) => ('probe' in one ? [one.probe] : []));
}
