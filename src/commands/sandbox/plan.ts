import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { chosen, count, knowing, option, rate, required } from '../../cli/params.ts';
import { type EndpointName, endpointNames } from '../../contract/endpoints.ts';
import { planNames, plans } from '../../contract/plans.ts';
import { localSandbox } from './control.ts';

const endpointWords = ['send-template', 'contacts', 'templates', 'campaigns'] as const;
type Word = (typeof endpointWords)[number];

/** Endpoints are named like the commands that call them. */
const wordOf: Readonly<Record<EndpointName, Word>> = {
  sendTemplate: 'send-template',
  listContacts: 'contacts',
  createContact: 'contacts',
  listTemplates: 'templates',
  listCampaigns: 'campaigns',
};

export const setPlan = command({
  name: 'set',
  summary: 'Change the plan of the sandbox',
  details: 'The rate limit counts from the first request; after sandbox clock advance 60s it starts again.',
  params: {
    plan: knowing(
      { of: planNames },
      required('<name>', `the plan: ${planNames.join(', ')}`, (text) => chosen(text, planNames)),
    ),
    rate: option('--rate <rate>', "requests, instead of the plan's: 20/s or 300/m", rate),
    monthly: option('--monthly <n>', "messages a month, instead of the plan's", count),
    without: knowing(
      { of: endpointWords, commas: true },
      option('--without <names>', `exclude these, comma-separated: ${endpointWords.join(', ')}`, excluded),
    ),
  },
  examples: ['sandbox plan set starter', 'sandbox plan set growth --rate 10/m --without campaigns'],
  sample: 'starter: 60 requests a minute, 3000 messages a month',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { plan: name, rate, monthly, without: words = [] }) => {
    const without = words.flatMap((word) => endpointNames.filter((name) => wordOf[name] === word));
    await (await localSandbox(context)).ask('setPlan', { name, rate, monthly, without });
    const { perMinute, perMonth } = plans[name];
    return {
      plan: name,
      per_minute: rate ?? perMinute ?? null,
      per_month: monthly ?? perMonth ?? null,
      without: words,
    };
  },
  view: ({ plan, per_minute: minute, per_month: month, without }) => {
    const limits = [`${limit(minute, 'request')} a minute`, `${limit(month, 'message')} a month`];
    return `${plan}: ${[...limits, ...(without.length > 0 ? [`without ${without.join(', ')}`] : [])].join(', ')}`;
  },
});

function limit(most: number | null, what: string): string {
  return most === 1 ? `1 ${what}` : `${most ?? 'unlimited'} ${what}s`;
}

function excluded(text: string): readonly Word[] {
  return text.split(',').map((word) => chosen(word.trim(), endpointWords));
}
