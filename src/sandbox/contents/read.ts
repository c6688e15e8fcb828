import * as read from '../../contract/readers.ts';
import { Mismatch } from '../../contract/readers.ts';
import { placeholdersIn, renderedText } from '../../contract/template-text.ts';
import { fields, integer, record } from '../readers.ts';
import { campaignStatuses, templateStatuses } from '../state/records.ts';

/** Records to fill a sandbox with. */
export const newContents = fields({
  contacts: read.optional(read.list(contact)),
  templates: read.optional(read.list(template)),
  campaigns: read.optional(read.list(campaign)),
});

const contactFields = fields({
  id: read.optional(read.id),
  phone: read.phone,
  name: read.optional(read.string),
  tags: read.optional(read.list(read.string)),
  attributes: read.optional(record),
  created_at: read.optional(time),
});

function contact(value: unknown, at = '') {
  const { id, phone, name, tags = [], attributes = {}, created_at } = contactFields(value, at);
  return { id, phone, name, tags, attributes, created_at };
}

const templateFields = fields({
  id: read.optional(read.id),
  name: read.id,
  language: read.optional(read.id),
  category: read.optional(read.id),
  status: read.optional(read.oneOf(templateStatuses)),
  body: read.string,
  variables: read.optional(read.list(read.string)),
});

function template(value: unknown, at = '') {
  const { id, name, body, ...rest } = templateFields(value, at);
  const { language = 'en_US', category = 'UTILITY', status = 'APPROVED', variables = placeholdersIn(body) } = rest;
  const [unfilled] = placeholdersIn(renderedText(body, variables, Array(variables.length).fill('')));
  if (unfilled !== undefined) {
    const problem = 'without a variable: number them from {{1}} without gaps, or name all in variables';
    throw new Mismatch(`${at}/body`, `has {{${unfilled}}} ${problem}`);
  }
  return { id, name, language, category, status, body, variables };
}

const counts = read.object({ sent: integer(), delivered: integer(), read: integer(), failed: integer() });

const campaignFields = fields({
  id: read.optional(read.id),
  name: read.id,
  template: read.id,
  status: read.optional(read.oneOf(campaignStatuses)),
  audience: read.optional(integer()),
  counts: read.optional(counts),
  created_at: read.optional(time),
});

function campaign(value: unknown, at = '') {
  const { id, name, template, created_at, ...rest } = campaignFields(value, at);
  const { status = 'SCHEDULED', audience = 0, counts = { sent: 0, delivered: 0, read: 0, failed: 0 } } = rest;
  return { id, name, template, status, audience, counts, created_at };
}

/** Records to load; missing fields are generated. */
export interface Contents {
  readonly contacts?: readonly ReturnType<typeof contactFields>[] | undefined;
  readonly templates?: readonly ReturnType<typeof templateFields>[] | undefined;
  readonly campaigns?: readonly ReturnType<typeof campaignFields>[] | undefined;
}

function time(value: unknown, at = ''): string {
  const date = new Date(read.string(value, at));
  if (Number.isNaN(date.getTime())) throw new Mismatch(at, 'must be a time, such as 2026-05-01T12:00:00Z');
  return date.toISOString();
}
