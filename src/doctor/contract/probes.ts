import {
  type EndpointName,
  endpointNames,
  endpoints,
  isPost,
  type ListName,
  type PostName,
} from '../../contract/endpoints.ts';

/** A request that tests the document. */
export interface Probe {
  /** Unique, such as `POST /api/public/contacts with half a JSON`. */
  readonly name: string;
  /** One of the document's five endpoints. */
  readonly endpoint?: EndpointName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key: 'own' | 'none' | 'invalid';
  readonly body?: string;
  /** Whether a status proves nothing, because the document does not say which check comes first. */
  readonly isUnclear?: (status: number) => boolean;
}

export const lists: Readonly<Record<ListName, Probe>> = {
  listTemplates: listed('listTemplates'),
  listContacts: listed('listContacts'),
  listCampaigns: listed('listCampaigns'),
};

export const oneContact = listed('listContacts', '?limit=1');

// A fictional number and template, so that a wrongly accepted request has no effect.
const noRecipient = { template: 'bizmsg_doctor_no_such_template', params: [] };
const noTemplate = JSON.stringify({ to: '+12025550100', params: [] });
const halfContact = '{"phone":';

const withoutTemplate = invalid('sendTemplate', 'without template', noTemplate);
const withoutRecipient: Probe = {
  ...invalid('sendTemplate', 'without to', JSON.stringify(noRecipient)),
  isUnclear: (status) => status === 404,
};
export const incomplete = [withoutTemplate, withoutRecipient];
export const brokenMessage = invalid('sendTemplate', 'with half a JSON', '{"to":');
export const wrongTypes = invalid('sendTemplate', 'with numbers for texts', '{"to":1,"template":2,"params":3}');
export const brokenContact = invalid('createContact', 'with half a JSON', halfContact);

export const nowhere = [
  '/api/public/bizmsg-doctor-no-such-path',
  `${endpoints.listTemplates.path}/bizmsg-doctor-no-such-id`,
].map((path): Probe => ({ name: `GET ${path}`, method: 'GET', path, key: 'own' }));

// Without a key, only bodies that are invalid anyway are sent.
const keylessBodies: Readonly<Record<PostName, string>> = { sendTemplate: noTemplate, createContact: halfContact };

export const keyless = endpointNames.map((name): Probe => {
  const probe = { ...to(name, ' without a key'), key: 'none' } as const;
  return isPost(name) ? { ...probe, body: keylessBodies[name], isUnclear: (status) => status === 400 } : probe;
});

export const invalidKey = Object.values(lists).map((list): Probe => ({
  ...list,
  name: `${list.name} with an invalid key`,
  key: 'invalid',
  isUnclear: undefined,
}));

/** Shows whether the API answers this key. */
export const first = [...Object.values(lists), withoutTemplate];

/** Requests without effect: lists, and requests that must be refused. */
export const harmless = [
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

/** The requests to an endpoint with the own key. */
export function probesOf(endpoint: EndpointName): readonly Probe[] {
  return harmless.filter((probe) => probe.endpoint === endpoint && probe.key === 'own');
}

function to(endpoint: EndpointName, how = ''): Probe {
  const { method, path } = endpoints[endpoint];
  return { name: `${method} ${path}${how}`, endpoint, method, path, key: 'own' };
}

function listed(endpoint: ListName, query = ''): Probe {
  const probe = to(endpoint, query);
  return { ...probe, path: `${probe.path}${query}`, isUnclear: (status) => status >= 500 };
}

function invalid(endpoint: PostName, how: string, body: string): Probe {
  return { ...to(endpoint, ` ${how}`), body };
}
