import { type EndpointName, endpointNames, endpoints, type ListName, type PostName } from '../../contract/endpoints.ts';

/** A request that tests clauses of the document. */
export interface Probe {
  /** One of the document's five endpoints. */
  readonly endpoint?: EndpointName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key: 'own' | 'none' | 'invalid';
  readonly body?: string;
  /** Distinguishes it from other requests of the same path. */
  readonly how?: string;
}

export const lists: Readonly<Record<ListName, Probe>> = {
  listTemplates: to('listTemplates'),
  listContacts: to('listContacts'),
  listCampaigns: to('listCampaigns'),
};

export const oneContact: Probe = { ...lists.listContacts, path: `${endpoints.listContacts.path}?limit=1` };

// A fictional number and template, so that a wrongly accepted request has no effect.
const fictional = '+12025550100';
const noTemplate = 'bizmsg_doctor_no_such_template';

const withoutTemplate = refused('sendTemplate', 'without template', JSON.stringify({ to: fictional, params: [] }));
export const withoutRecipient = refused(
  'sendTemplate',
  'without to',
  JSON.stringify({ template: noTemplate, params: [] }),
);
export const incomplete = [withoutTemplate, withoutRecipient] as const;
export const brokenMessage = refused('sendTemplate', 'with half a JSON', '{"to":');
export const wrongTypes = refused('sendTemplate', 'with numbers for texts', '{"to":1,"template":2,"params":3}');
export const brokenContact = refused('createContact', 'with half a JSON', '{"phone":');

export const nowhere: readonly Probe[] = [
  { method: 'GET', path: '/api/public/bizmsg-doctor-no-such-path', key: 'own' },
  { method: 'GET', path: `${endpoints.listTemplates.path}/bizmsg-doctor-no-such-id`, key: 'own' },
];

// Without a key, only bodies that are invalid anyway are sent.
const bodies: Readonly<Record<EndpointName, string | undefined>> = {
  listTemplates: undefined,
  listContacts: undefined,
  listCampaigns: undefined,
  sendTemplate: withoutTemplate.body,
  createContact: brokenContact.body,
};
export const keyless: readonly Probe[] = endpointNames.map((name) =>
  refused(name, 'without a key', bodies[name], 'none'),
);
export const invalidKey: readonly Probe[] = endpointNames
  .filter((name) => endpoints[name].method === 'GET')
  .map((name) => refused(name, 'with an invalid key', undefined, 'invalid'));

/** Shows whether the API answers this key. */
export const first: readonly Probe[] = [...Object.values(lists), withoutTemplate];

/** Requests without effect: lists, and requests that must be refused. */
export const harmless: readonly Probe[] = [
  ...first,
  oneContact,
  withoutRecipient,
  brokenMessage,
  wrongTypes,
  brokenContact,
  ...nowhere,
  ...keyless,
  ...invalidKey,
];

/** Requests that show whether each POST endpoint exists. */
export const posts: Readonly<Record<PostName, readonly Probe[]>> = {
  sendTemplate: [...incomplete, brokenMessage, wrongTypes],
  createContact: [brokenContact],
};

/** `POST /api/public/contacts with half a JSON` */
export function named({ method, path, how }: Probe): string {
  return `${method} ${path}${how === undefined ? '' : ` ${how}`}`;
}

function write(endpoint: PostName, body: object): Probe {
  return { ...to(endpoint), body: JSON.stringify(body) };
}

function refused(endpoint: EndpointName, how: string, body?: string, key: Probe['key'] = 'own'): Probe {
  return { ...to(endpoint), key, how, ...(body !== undefined && { body }) };
}

function to(endpoint: EndpointName): Probe {
  const { method, path } = endpoints[endpoint];
  return { endpoint, method, path, key: 'own' };
}

/** The writes that the user allows. */
export interface Allowed {
  /** Limit for requests that change something. */
  readonly most: number;
  readonly to: string;
  readonly template: string | undefined;
  readonly params: readonly string[];
  /** The body of the contact (default: only its phone). */
  readonly contact: object | undefined;
}

export type Writes = Readonly<Record<PostName, Planned>>;

export type Planned = { readonly probe: Probe } | { readonly why: string };

/** Plans the message first, then the contact. */
export function planWrites(allowed: Allowed | undefined): Writes {
  if (!allowed || allowed.most === 0) return { sendTemplate: { why: toAllow }, createContact: { why: toAllow } };
  const { most, to, template, params, contact = { phone: to } } = allowed;
  const message: Planned =
    template === undefined
      ? { why: 'needs --template with an approved template' }
      : { probe: write('sendTemplate', { to, template, params }) };
  const left = 'probe' in message ? most - 1 : most;
  return {
    sendTemplate: message,
    createContact: left > 0 ? { probe: write('createContact', contact) } : { why: 'needs --allow-writes 2' },
  };
}

const toAllow = 'needs --allow-writes and --to';

/** The planned requests in order. */
export function plannedIn(writes: Writes): readonly Probe[] {
  return Object.values(writes).flatMap((one) => ('probe' in one ? [one.probe] : []));
}
