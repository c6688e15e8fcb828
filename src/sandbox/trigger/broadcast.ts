import type { Change } from '../changes.ts';
import type { Campaign, Contact } from '../records.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { type Caused, type Desk, eventChange, templateNamed } from './desk.ts';
import type { FieldsOf } from './fields.ts';
import { newMessage } from './messages.ts';

type Given = FieldsOf<'broadcast.completed'>;

/** A campaign runs to its end: one message for each contact of its audience. */
export function broadcastCompleted(given: Given, desk: Desk): Caused {
  const campaign = campaignOf(given, desk);
  const template = templateNamed(desk.state, campaign.template);
  const messages = audienceOf(given, desk.state).map(({ phone }) => newMessage(phone, template, desk));
  const [audience, none] = [messages.length, { sent: 0, delivered: 0, read: 0, failed: 0 }];
  const running: Campaign = { ...campaign, status: 'RUNNING', audience, counts: none };
  const completed: Campaign = { ...running, status: 'COMPLETED', counts: { ...none, sent: audience } };
  const { id: campaign_id, name, counts } = completed;
  const data = { campaign_id, name, template: template.name, audience, counts };
  const changes: readonly Change[] = [
    { type: 'campaign', campaign: running },
    ...messages.map((message) => ({ type: 'message', message }) as const),
    { type: 'campaign', campaign: completed },
    eventChange(desk, { type: 'broadcast.completed', data }),
  ];
  return { changes, ids: { campaign_id } };
}

function campaignOf({ campaign: which, name, template }: Given, desk: Desk): Campaign {
  const { list } = desk.state.campaigns;
  const isNew = name !== undefined || template !== undefined;
  if (which !== undefined && isNew)
    throw new Refusal(400, 'a campaign and the name or template of a new one exclude each other');
  if (name !== undefined && list.some((campaign) => campaign.name === name))
    throw new Refusal(400, `there is a campaign "${name}" already: name it as the campaign, or choose another name`);
  const known = isNew ? undefined : which === undefined ? list.find(isOpen) : campaignNamed(which, desk.state);
  return known ?? newCampaign(name ?? `Broadcast ${list.length + 1}`, template, desk);
}

function campaignNamed(which: string, { campaigns: { by, list } }: State): Campaign {
  const named = list.filter(({ name }) => name === which);
  const found = by.get(which) ?? named.find(isOpen) ?? named[0];
  if (!found) throw new Refusal(404, `there is no campaign "${which}"`);
  if (isOpen(found)) return found;
  throw new Refusal(400, `the campaign "${found.name}" is COMPLETED already; give name for a new one`);
}

function newCampaign(name: string, template: string | undefined, desk: Desk): Campaign {
  const counts = { sent: 0, delivered: 0, read: 0, failed: 0 };
  return {
    id: desk.id('cmp_sandbox'),
    name,
    template: templateNamed(desk.state, template).name,
    status: 'SCHEDULED',
    audience: 0,
    counts,
    created_at: new Date(desk.now).toISOString(),
  };
}

function audienceOf({ tag }: Given, { contacts: { list } }: State): readonly Contact[] {
  const audience = tag === undefined ? list : list.filter(({ tags }) => tags.includes(tag));
  if (audience.length > 0) return audience;
  throw new Refusal(400, tag === undefined ? 'there is no contact to send to' : `no contact has the tag "${tag}"`);
}

function isOpen({ status }: Campaign): boolean {
  return status !== 'COMPLETED';
}
