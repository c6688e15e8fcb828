import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { whole } from '../../cli/output/figures.ts';
import { chosen, count, knowing, option, rate, required } from '../../cli/params.ts';
import { planNames, plans } from '../../contract/plans.ts';
import { ask } from './control.ts';
import { endpointsIn, type PlanWord, planWords, planWordsFor } from './names.ts';

export const setPlan = command({
  name: 'set',
  summary: 'Change the plan of the sandbox',
  details: 'The rate limit counts from the first request; after sandbox clock advance 60s it starts again.',
  params: {
    plan: knowing(
      planNames,
      required('<name>', `the plan: ${planNames.join(', ')}`, (text) => chosen(text, planNames)),
    ),
    rate: option('--rate <rate>', "requests, instead of the plan's: 20/s or 300/m", rate),
    monthly: option('--monthly <n>', "messages a month, instead of the plan's", count),
    without: knowing(
      planWords,
      option('--without <names>', `exclude these, comma-separated: ${planWords.join(', ')}`, excluded),
    ),
  },
  examples: ['sandbox plan set starter', 'sandbox plan set growth --rate 10/m --without campaigns'],
  sample: 'starter: 60 requests a minute, 3,000 messages a month',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { plan: name, rate, monthly, without: words = [] }) => {
    await ask(context, 'setPlan', { name, rate, monthly, without: endpointsIn(words) });
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
    return `${plan}: ${[...limits, ...excluding(without)].join(', ')}`;
  },
});

export const showPlan = command({
  name: 'show',
  summary: 'Show the limits of the sandbox, and how much of them is used',
  details: 'Requests are counted only if their number is limited.',
  params: {},
  examples: ['sandbox plan show', 'sandbox plan show -o json'],
  sample: 'growth: 0 of 300 requests a minute, 0 of 15,000 messages in 2026-05',
  accepts: printOptions,
  piped: 'text',
  run: async (context) => {
    const { plan, minute, month } = await ask(context, 'usage');
    return {
      plan: plan.name,
      per_minute: minute.limit,
      minute_used: minute.used,
      minute_ends: minute.ends === null ? null : new Date(minute.ends).toISOString(),
      per_month: month.limit,
      month: month.name,
      month_used: month.used,
      without: planWordsFor(plan.without),
    };
  },
  view: ({ plan, per_minute, minute_used, minute_ends, per_month, month, month_used, without }, ui) => {
    const minute = `${used(minute_used, per_minute, 'request')} ${minute_ends === null || per_minute === null ? 'a minute' : `until ${minute_ends}`}`;
    const parts = [`${plan}: ${minute}`, `${used(month_used, per_month, 'message')} in ${month}`];
    return ui.line([[...parts, ...excluding(without)].join(', ')]);
  },
});

function used(count: number, most: number | null, what: string): string {
  return most === null ? `unlimited ${what}s` : `${count} of ${limit(most, what)}`;
}

function excluding(words: readonly string[]): readonly string[] {
  return words.length > 0 ? [`without ${words.join(', ')}`] : [];
}

function limit(most: number | null, what: string): string {
  return most === 1 ? `1 ${what}` : `${most === null ? 'unlimited' : whole(most)} ${what}s`;
}

function excluded(text: string): readonly PlanWord[] {
  return [...new Set(text.split(',').map((word) => chosen(word.trim(), planWords)))];
}
