import { usage } from '../../base/errors.ts';
import { createRandom, seedNumber } from '../state/ids.ts';
import type { Campaign, Contact, Template } from '../state/records.ts';

/** Possible forms of an answer that the document does not show. The first of each is the default. */
export const alternatives = {
  list: ['data', 'array', 'named', 'result.page.items', 'response.records'],
  paging: ['link and cursor', 'link', 'cursor', 'none', 'empty last page'],
  fields: ['own', 'minimal', 'other', 'camel'],
  letters: ['upper', 'lower'],
  sent: ['only the id', 'extra fields', 'nulls'],
  created: ['record', 'wrapped', 'empty object', 'nothing'],
  createdStatus: [201, 200],
  error: ['problem', 'message', 'nested', 'nothing', 'html'],
  rate: ['draft', 'none', 'seconds', 'date'],
  scopeRefusal: [403, 401],
  monthUsedUp: [429, 403, 'accepted'],
  payload: ['type', 'event', 'extra fields'],
} as const;

export type Shape = { readonly [K in keyof typeof alternatives]: (typeof alternatives)[K][number] };

export const defaultShape: Shape = pickEach((options) => options[0]);

const bareShape: Shape = {
  ...defaultShape,
  list: 'array',
  paging: 'link',
  fields: 'minimal',
  error: 'message',
  rate: 'none',
  payload: 'event',
};

/** Returns the shape `default`, `bare`, or `vary:SEED`, which picks each alternative at random from the seed. */
export function shapeNamed(name: string): Shape {
  if (name === 'default') return defaultShape;
  if (name === 'bare') return bareShape;
  const seed = /^vary:(.+)$/.exec(name)?.[1];
  if (seed === undefined)
    throw usage(`"${name}" is not a shape`, 'use default, bare, or vary:SEED (the seed is any text)');
  const random = createRandom(seedNumber(seed));
  return pickEach((options) => options[Math.floor(random() * options.length)] ?? options[0]);
}

type Pick = <Options extends readonly [unknown, ...unknown[]]>(options: Options) => Options[number];

function pickEach(pick: Pick): Shape {
  return {
    list: pick(alternatives.list),
    paging: pick(alternatives.paging),
    fields: pick(alternatives.fields),
    letters: pick(alternatives.letters),
    sent: pick(alternatives.sent),
    created: pick(alternatives.created),
    createdStatus: pick(alternatives.createdStatus),
    error: pick(alternatives.error),
    rate: pick(alternatives.rate),
    scopeRefusal: pick(alternatives.scopeRefusal),
    monthUsedUp: pick(alternatives.monthUsedUp),
    payload: pick(alternatives.payload),
  };
}

export interface Records {
  readonly contact: Contact;
  readonly template: Template;
  readonly campaign: Campaign;
}

export type Kind = keyof Records;

type Names = Readonly<Record<string, string>>;

// Field names of other services. Unlisted fields keep their names.
const otherNames: Readonly<Record<Kind, Names>> = {
  contact: { id: 'uuid', phone: 'msisdn', name: 'full_name', attributes: 'custom_fields', created_at: 'created' },
  template: { id: 'template_id', language: 'lang', status: 'state', body: 'text', variables: 'placeholders' },
  campaign: { id: 'campaign_id', name: 'title', status: 'state', counts: 'totals', created_at: 'created' },
};

const camelNames: Readonly<Record<Kind, Names>> = {
  contact: { id: 'contactId', phone: 'phoneNumber', name: 'displayName', created_at: 'createdAt' },
  template: { id: 'templateId', name: 'templateName', language: 'languageCode', status: 'approvalStatus' },
  campaign: { id: 'campaignId', name: 'campaignName', template: 'templateName', created_at: 'createdAt' },
};

const minimalFields: Readonly<Record<Kind, Names>> = {
  contact: { id: 'contact_id', phone: 'number', name: 'name' },
  template: { name: 'name', language: 'locale', status: 'status' },
  campaign: { id: 'campaign_id', name: 'name', status: 'status' },
};

/** Converts a record to the fields of this shape. */
export function shaped<K extends Kind>(shape: Shape, kind: K, record: Records[K]): object {
  if (shape.fields === 'own' && shape.letters === 'upper') return record;
  const entries = Object.entries(record).flatMap(([field, value]): [string, unknown][] => {
    const name = names[shape.fields](kind, field);
    return name === undefined ? [] : [[name, field === 'status' ? inCase(shape, value) : value]];
  });
  return Object.fromEntries(entries);
}

const names: Readonly<Record<Shape['fields'], (kind: Kind, field: string) => string | undefined>> = {
  own: (_, field) => field,
  minimal: (kind, field) => minimalFields[kind][field],
  other: (kind, field) => otherNames[kind][field] ?? field,
  camel: (kind, field) => camelNames[kind][field] ?? field,
};

function inCase(shape: Shape, value: unknown): unknown {
  return shape.letters === 'lower' && typeof value === 'string' ? value.toLowerCase() : value;
}
