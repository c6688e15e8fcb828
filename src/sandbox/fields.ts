import type { Campaign, Contact, Template } from './records.ts';
import type { Shape } from './shapes.ts';

export interface Records {
  readonly contact: Contact;
  readonly template: Template;
  readonly campaign: Campaign;
}

export type Kind = keyof Records;

type Names = Readonly<Record<string, string>>;

// What other services call these; a field that is not named keeps its name.
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

/** A record with the fields of this shape. */
export function shaped<K extends Kind>(shape: Shape, kind: K, record: Records[K]): object {
  if (shape.fields === 'own' && shape.letters === 'upper') return record;
  const entries = Object.entries(record).flatMap(([field, value]): [string, unknown][] => {
    const name = names[shape.fields](kind, field);
    return name === undefined ? [] : [[name, field === 'status' ? lettered(shape, value) : value]];
  });
  return Object.fromEntries(entries);
}

const names: Readonly<Record<Shape['fields'], (kind: Kind, field: string) => string | undefined>> = {
  own: (_, field) => field,
  minimal: (kind, field) => minimalFields[kind][field],
  other: (kind, field) => otherNames[kind][field] ?? field,
  camel: (kind, field) => camelNames[kind][field] ?? field,
};

function lettered(shape: Shape, value: unknown): unknown {
  return shape.letters === 'lower' && typeof value === 'string' ? value.toLowerCase() : value;
}
