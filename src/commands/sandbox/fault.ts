import { usage } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { atLeastOne, duration, flag, knowing, option, words } from '../../cli/params.ts';
import { type EndpointName, endpointNames } from '../../contract/endpoints.ts';
import { type EventName, eventNames, isEventName } from '../../contract/events.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { ask } from './control.ts';
import { eventWords, namesIn } from './names.ts';

type Fault = OutputOf<'faults'>[number];
type Effect = Fault['effect'];
type Target = EndpointName | EventName;

const endpointWords = {
  sendTemplate: 'send-template',
  listContacts: 'contacts-list',
  createContact: 'contacts-create',
  listTemplates: 'templates-list',
  listCampaigns: 'campaigns-list',
} as const satisfies Record<EndpointName, string>;

const targets: ReadonlyMap<string, readonly Target[]> = new Map<string, readonly Target[]>([
  ...endpointNames.map((name) => [endpointWords[name], [name]] as const),
  ['requests', endpointNames],
  ...eventWords,
  ['events', eventNames],
]);

export const sandboxFault = command({
  name: 'fault',
  summary: 'Make answers or deliveries fail, list the faults, or clear them',
  details: `Without arguments it lists the faults. Each is NAMES=FAULT:
      ${Object.values(endpointWords).slice(0, 3).join(', ')},
      ${Object.values(endpointWords).slice(3).join(', ')}, requests (all)
                                a status from 400 to 599, a delay such as 2s,
                                reset or hang
      message.read, message (its family), events (all)
                                a delay, drop, duplicate or bad-signature
    Requests without a valid key or over the rate limit are not affected. If several faults match, the first applies.`,
  params: {
    faults: knowing(
      ['clear', ...[...targets.keys()].map((word) => `${word}=`)],
      words('[fault...]', 'such as send-template=500 or message.read=drop; or clear, with an id or without'),
    ),
    after: flag('--after', 'fail once the request has been carried out'),
    times: option('--times <n>', 'remove it after n injections', atLeastOne),
  },
  examples: [
    'sandbox fault send-template=500 --times 3',
    'sandbox fault send-template=reset --after --times 1',
    'sandbox fault message.delivered,message.read=5s',
    'sandbox fault clear',
  ],
  changes: true,
  piped: 'rows',
  run: async (context, { faults: [first, ...more], after, times }) => {
    if (first === undefined) return (await ask(context, 'faults')).map(faultRow);
    if (first === 'clear') {
      if (more.length > 1) throw usage('clear takes one id', 'without an id, it removes all faults');
      return (await ask(context, 'clearFaults', { fault: more[0] })).map((cleared) => ({ cleared }));
    }
    const wanted = [first, ...more].map((word) => ({ ...faultIn(word), after, times }));
    if (after && wanted.some(({ on }) => on.some(isEventName))) throw usage('--after is for endpoints, not for events');
    const added = [];
    for (const fault of wanted) added.push(await ask(context, 'addFault', fault));
    return added.map((fault) => faultRow({ ...fault, injected: 0, active: true }));
  },
  view: () => 'No faults',
});

/** The fault that a word such as `send-template=500` asks for. */
function faultIn(word: string): Pick<Fault, 'on' | 'effect'> {
  const [names = '', text] = word.split(/=(.*)/s);
  const on = namesIn(names, targets);
  const areEvents = on.every(isEventName);
  if (text === undefined)
    throw usage(`"${word}" does not say what fails`, `such as ${word}=${areEvents ? 'drop' : '500'}`);
  if (!areEvents && on.some(isEventName))
    throw usage(`"${names}" has endpoints and events`, 'they have different faults');
  return { on, effect: areEvents ? eventEffect(text) : answerEffect(text) };
}

const isSpan = /^\d[\d.]*(?:ms|s|m|h|d)$/;

function answerEffect(text: string): Effect {
  if (text === 'reset' || text === 'hang') return { kind: text };
  if (/^[45]\d\d$/.test(text)) return { kind: 'status', status: Number(text) };
  if (isSpan.test(text)) return { kind: 'latency', ms: duration(text) };
  const hint = 'use a status from 400 to 599, a delay such as 2s, reset or hang';
  throw usage(`"${text}" is not a fault of an endpoint`, hint);
}

function eventEffect(text: string): Effect {
  if (text === 'drop' || text === 'duplicate' || text === 'bad-signature') return { kind: text };
  if (isSpan.test(text)) return { kind: 'delay', ms: duration(text) };
  throw usage(`"${text}" is not a fault of an event`, 'use a delay such as 5s, drop, duplicate or bad-signature');
}

function faultRow({ id, on, effect, after, injected, active, times }: Fault) {
  const { kind } = effect;
  const value = kind === 'status' ? effect.status : 'ms' in effect ? `${effect.ms / 1_000}s` : undefined;
  const left = times === undefined ? 'never' : `after ${times} ${times === 1 ? 'injection' : 'injections'}`;
  return {
    id,
    on: on.map((name) => (isEventName(name) ? name : endpointWords[name])).join(','),
    what: value === undefined ? kind : `${kind} ${value}`,
    when: on.some(isEventName) ? undefined : after ? 'after' : 'before',
    injected,
    expires: active ? left : 'expired',
  };
}
