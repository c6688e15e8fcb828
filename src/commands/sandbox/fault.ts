import { usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { atLeastOne, duration, flag, knowing, option, words } from '../../cli/params.ts';
import { type EndpointName, endpointNames } from '../../contract/endpoints.ts';
import { type EventName, eventNames, isEventName } from '../../contract/events.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { ask } from './control.ts';
import { eventWords, namesIn } from './names.ts';

type Fault = OutputOf<'faults'>[number];
type Effect = Fault['effect'];
type Target = EndpointName | EventName;

const targets: ReadonlyMap<string, readonly Target[]> = new Map<string, readonly Target[]>([
  ['send-template', ['sendTemplate']],
  ['contacts-list', ['listContacts']],
  ['contacts-create', ['createContact']],
  ['templates-list', ['listTemplates']],
  ['campaigns-list', ['listCampaigns']],
  ['requests', endpointNames],
  ...eventWords,
  ['events', eventNames],
]);
const targetWords = [...targets.keys()];

export const sandboxFault = command({
  name: 'fault',
  summary: 'Make answers or deliveries fail, list the faults, or clear them',
  details: [
    `Endpoints: ${targetWords.slice(0, 5).join(', ')}, or requests for all. Their faults: a status`,
    'from 400 to 599, a delay such as 2s, reset, hang. Events: message.read, message for its family, or events for all.',
    'Their faults: a delay, drop, duplicate, bad-signature. Without arguments it lists the faults; clear removes one or',
    'all. Faults affect only requests with a valid key and within the rate limit; of several, the first one applies.',
  ].join('\n'),
  params: {
    faults: knowing(
      ['clear', ...targetWords.map((word) => `${word}=`)],
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
  sample:
    'id\ton\twhat\twhen\tmatched\tinjected\texpires\nflt_5c1f2a9e0b00000k\tsend-template\tstatus 500\tbefore\t0\t0\tafter 3 injections',
  accepts: printOptions,
  changes: true,
  piped: 'rows',
  run: async (context, { faults: [first, ...more], after, times }) => {
    if (first === undefined) return (await ask(context, 'faults')).map(faultRow);
    if (first === 'clear') return clear(more, (fault) => ask(context, 'clearFaults', { fault }));
    const wanted = [first, ...more].map((word) => ({ ...faultIn(word), after, times }));
    if (after && wanted.some(({ on }) => on.some(isEventName))) throw usage('--after is for endpoints, not for events');
    const added = [];
    for (const fault of wanted) added.push(await ask(context, 'addFault', fault));
    return added.map((fault) => faultRow({ ...fault, matched: 0, injected: 0, active: true }));
  },
  view: () => 'No faults',
});

async function clear(ids: readonly string[], ask: (id?: string) => Promise<readonly string[]>) {
  if (ids.length > 1) throw usage('clear takes one id', 'without an id, it removes all faults');
  return (await ask(ids[0])).map((id) => ({ cleared: id }));
}

/** The fault that a word such as `send-template=500` asks for. */
function faultIn(word: string): Pick<Fault, 'on' | 'effect'> {
  const [names = '', text] = word.split(/=(.*)/s);
  if (text === undefined && suggest(word, ['clear']) !== undefined)
    throw usage(`"${word}" is not a fault`, 'did you mean clear?');
  const on = namesIn(names, targets, 'neither an endpoint nor an event');
  if (text === undefined)
    throw usage(`"${word}" does not say what fails`, `such as ${word}=${on.some(isEventName) ? 'drop' : '500'}`);
  const areEvents = on.every(isEventName);
  if (!areEvents && on.some(isEventName))
    throw usage(`"${names}" has endpoints and events`, 'they have different faults');
  return { on, effect: areEvents ? eventEffect(text) : answerEffect(text) };
}

function answerEffect(text: string): Effect {
  if (text === 'reset' || text === 'hang') return { kind: text };
  if (/^[45]\d\d$/.test(text)) return { kind: 'status', status: Number(text) };
  if (isSpan(text)) return { kind: 'latency', ms: duration(text) };
  throw usage(
    `"${text}" is not a fault of an endpoint`,
    'use a status from 400 to 599, a delay such as 2s, reset or hang',
  );
}

function eventEffect(text: string): Effect {
  if (text === 'drop' || text === 'duplicate' || text === 'bad-signature') return { kind: text };
  if (isSpan(text)) return { kind: 'delay', ms: duration(text) };
  throw usage(`"${text}" is not a fault of an event`, 'use a delay such as 5s, drop, duplicate or bad-signature');
}

function isSpan(text: string): boolean {
  return /^\d[\d.]*(?:ms|s|m|h|d)$/.test(text);
}

function faultRow({ id, on, effect, after, matched, injected, active, times }: Fault) {
  const expires = times === undefined ? 'never' : `after ${times} ${times === 1 ? 'injection' : 'injections'}`;
  return {
    id,
    on: wordsFor(on),
    what: effectText(effect),
    when: on.some(isEventName) ? undefined : after ? 'after' : 'before',
    matched,
    injected,
    expires: active ? expires : 'expired',
  };
}

/** The fewest words that name these endpoints and events. */
function wordsFor(on: readonly Target[]): string {
  const largest = [...targets].sort(([, a], [, b]) => b.length - a.length);
  let rest = on;
  const words = largest.filter(([, named]) => {
    if (!named.every((name) => rest.includes(name))) return false;
    rest = rest.filter((name) => !named.includes(name));
    return true;
  });
  return words.map(([word]) => word).join(',');
}

function effectText(effect: Effect): string {
  if (effect.kind === 'status') return `status ${effect.status}`;
  return effect.kind === 'latency' || effect.kind === 'delay' ? `${effect.kind} ${effect.ms / 1_000}s` : effect.kind;
}
