import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { chosen, count, knowing, option, rate, required } from '../../cli/params.ts';
import type { EndpointName } from '../../contract/endpoints.ts';
import { planNames, plans } from '../../contract/plans.ts';

/** As the commands are called that use them. */
const endpointsOf = {
  'send-template': ['sendTemplate'],
  contacts: ['listContacts', 'createContact'],
  templates: ['listTemplates'],
  campaigns: ['listCampaigns'],
} as const satisfies Record<string, readonly EndpointName[]>;

const endpointWords = ['send-template', 'contacts', 'templates', 'campaigns'] as const;

export const setPlan = command({
  name: 'set',
  summary: 'Change the plan of the sandbox',
  details: "The plan's minute begins with its first request; sandbox clock advance 60s is past its end.",
  params: {
    plan: knowing(
      { of: planNames },
      required('<name>', `the plan: ${planNames.join(', ')}`, (text) => chosen(text, planNames)),
    ),
    rate: option('--rate <rate>', "how many requests, in place of the plan's: 20/s or 300/m", rate),
    monthly: option('--monthly <n>', "how many messages a month, in place of the plan's", count),
    without: knowing(
      { of: endpointWords, commas: true },
      option(
        '--without <names>',
        `what it does not include, with commas between: ${endpointWords.join(', ')}`,
        excluded,
      ),
    ),
  },
  examples: ['sandbox plan set starter', 'sandbox plan set growth --rate 10/m --without campaigns'],
  sample: 'starter: 60 requests a minute, 3000 messages a month',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { plan: name, rate, monthly, without = [] }) => {
    const endpoints = without.flatMap((word) => endpointsOf[word]);
    await (await context.sandbox()).setPlan({ name, perMinute: rate, perMonth: monthly, without: endpoints });
    const { perMinute, perMonth } = plans[name];
    return { plan: name, per_minute: rate ?? perMinute ?? null, per_month: monthly ?? perMonth ?? null, without };
  },
  view: ({ plan, per_minute: minute, per_month: month, without }) => {
    const limits = [`${limit(minute, 'request')} a minute`, `${limit(month, 'message')} a month`];
    return `${plan}: ${[...limits, ...(without.length > 0 ? [`without ${without.join(', ')}`] : [])].join(', ')}`;
  },
});

function limit(most: number | null, what: string): string {
  return most === 1 ? `1 ${what}` : `${most ?? 'unlimited'} ${what}s`;
}

function excluded(text: string): readonly (typeof endpointWords)[number][] {
  return text.split(',').map((word) => chosen(word.trim(), endpointWords));
}
