import { CliError, configuration, forOption, unsafe, usage } from '../../base/errors.ts';
import { profileOption } from '../../base/shell-quote.ts';
import { untilAborted } from '../../base/sleep.ts';
import { command, type Context, type Emit } from '../../cli/command.ts';
import { flag, type Input, option, port } from '../../cli/params.ts';
import { isDelivered } from '../../contract/events.ts';
import { openSpacedPhones } from '../../contract/phone.ts';
import { currentCaller, newcomerNote, onlyLocal, optionalCaller } from '../../session/caller.ts';
import { isThisMachine } from '../../delivery/this-machine.ts';
import { selectedBy } from '../../webhooks/event/event.ts';
import { forwardUrl } from '../../webhooks/forward.ts';
import type { Listener } from '../../webhooks/listen.ts';
import { eventText, type Ready, readyText } from './lines.ts';
import { eventsText } from '../sandbox/names.ts';
import { whereParam } from './recorded.ts';
import { type Sender, senderOf, subscribe } from './sender.ts';
import { givenSecret, secretParams, storedSecret } from './secrets.ts';

const params = {
  port: option('--port <port>', 'the port, or 0 for any free one (default: 4781)', port),
  host: option('--host <host>', 'the address to listen on (default: 127.0.0.1 and ::1)'),
  path: option('--path <path>', 'accept events only at this path (default: any path)', path),
  events: option('--events <names>', eventsText),
  where: whereParam,
  full: flag('--full', 'show the body of each event too'),
  forwardTo: option('--forward-to <address>', 'forward events unchanged to 3000, localhost:3000/hook or a URL'),
  retry: flag('--retry', 'retry failed forwards up to 5 times'),
  catchUp: flag('--catch-up', 'also receive earlier events that no webhook has received'),
  optOuts: flag('--opt-outs', 'add people who reply STOP to the opt-outs of the account'),
  ...secretParams,
} as const;

type ListenInput = Input<typeof params>;

export const listenForEvents = command({
  name: 'listen',
  summary: 'Receive events on this machine, and show, record and forward them',
  details: `With --profile local it receives the events of the sandbox; those of an account arrive through a public
    address that leads here. Every event is recorded, answered, then forwarded with its original bytes and headers;
    webhooks list and show print it later. --events and --where choose what is shown and forwarded. Before forwarding
    to another machine it asks, or needs --yes.`,
  params,
  examples: [
    'webhooks listen --profile local',
    'webhooks listen --profile local --forward-to 3000/hooks --retry',
    'webhooks listen --events message.failed,order.paid --full',
    'webhooks listen --events order -o ndjson',
    'webhooks listen --opt-outs --profile acme',
  ],
  accepts: ['profile', 'mode', 'output'],
  async run(context, input, emit) {
    const listening = await openListening(context, input);
    // Asked for before it says that it is ready: until then, a signal ends the process.
    const stopped = untilAborted(context.host.signal);
    try {
      await emit([{ data: listening.ready, text: (ui) => readyText(listening.ready, ui) }]);
      await printUntilEnd(context, input, { ...listening, stopped }, emit);
      return { type: 'ended', url: listening.ready.url } as const;
    } finally {
      await listening.close();
    }
  },
  view: ({ url }) => `Stopped ${url}`,
});

type Listening = Awaited<ReturnType<typeof openListening>>;

/** Starts a listener; if the sandbox is called, subscribes it to the sandbox's events. */
async function openListening(context: Context, input: ListenInput) {
  const { openListener, usualPort } = await import('../../webhooks/listen.ts');
  const options = await checkedOptions(context, input);
  const [typedSecret, sender] = [await givenSecret(context, input), await senderFor(context, input)];
  const stored = sender.kind === 'sandbox' ? undefined : (typedSecret ?? storedSecret(context));
  /** The current secret first. */
  let secrets = stored === undefined ? [] : [stored];
  const addSecret = (secret: string) => (secrets = [secret, ...secrets.filter((other) => other !== secret)]);
  const optOuts = await openOptOuts(context, input, () => secrets);
  const closing: (() => Promise<void>)[] = [async () => optOuts?.close()];
  const close = async () => {
    for (const end of closing.splice(0).toReversed()) await end();
  };
  try {
    const listener = await openListener({
      ...options,
      // A tunnel leads to the usual port; only the sandbox can use another.
      port: input.port ?? (sender.kind === 'sandbox' ? undefined : usualPort),
      keepOptOuts: optOuts?.keep,
      secrets: () => secrets,
    }).catch((error: unknown) => Promise.reject(inUse(error, input)));
    closing.push(() => listener.close());
    const url = deliveryUrl(listener, input);
    const wanted = { url, secret: typedSecret, catchUp: input.catchUp, addSecret };
    const subscription = sender.kind === 'sandbox' ? await subscribe(context, sender.locator, wanted) : undefined;
    closing.push(async () => subscription?.close());
    const { port } = listener;
    const { hostname } = new URL(listener.url);
    noteSender(context, sender, url);
    if (input.port === undefined && port !== usualPort)
      context.note('port', `port ${usualPort} is in use, so this listener has ${port}`);
    if (!isThisMachine(hostname))
      context.note('open', `listening on ${hostname}:${port}: anyone who can reach this machine can send events to it`);
    const sandbox = sender.kind === 'sandbox' ? sender.locator.url : null;
    const opt_outs = !input.optOuts ? null : secrets.length > 0 ? 'signed' : 'all';
    const ready: Ready = { type: 'ready', url, port, sandbox, opt_outs };
    return { ready, listener, subscription, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function inUse(error: unknown, input: ListenInput): unknown {
  if (!(error instanceof CliError && error.code === 'port-busy') || input.port !== undefined) return error;
  const hint = 'a tunnel may lead to it; --port 0 takes any free port';
  return configuration('port-busy', `${error.message}, perhaps by another listener`, hint, error);
}

/** Checks the options and asks before forwarding to other machines. Nothing has started yet. */
async function checkedOptions(context: Context, { events, where, ...input }: ListenInput) {
  const { given, host: machine, note } = context;
  // Events and forwarding attempts have no common columns.
  if (![undefined, 'ndjson', 'table'].includes(given.output))
    throw usage(`webhooks listen cannot print ${given.output}: it prints as events arrive`, 'use -o ndjson');
  const { host, path, retry, forwardTo: address } = input;
  if (retry && address === undefined) throw usage('--retry needs --forward-to', 'nothing is forwarded');
  const filter = selectedBy(events, where);
  const forwardTo = address === undefined ? undefined : forOption('--forward-to', () => forwardUrl(address));
  if (forwardTo) await confirmOutside(context, [forwardTo], 'Forward events');
  const warn = (text: string) => note('webhooks', text);
  return { machine, stateFolder: context.stateFolder(), host, path, retry, filter, forwardTo, warn };
}

/** Asks before events are sent to other machines; refuses with BIZMSG_LOCAL_ONLY=1. */
export async function confirmOutside({ host, confirm }: Context, urls: Iterable<URL>, action: string): Promise<void> {
  const outside = [...urls].filter(({ hostname }) => !isThisMachine(hostname));
  for (const origin of new Set(outside.map(({ origin }) => origin))) {
    const hint = 'unset BIZMSG_LOCAL_ONLY, or use an address of this machine';
    if (onlyLocal(host.env))
      throw unsafe('only-local', `BIZMSG_LOCAL_ONLY=1 refuses ${origin}, which is not this machine`, hint);
    await confirm(`${action} to ${origin}?`);
  }
}

/** Keeps the list of people who opted out; without --opt-outs, it notes the command that adds a person. */
async function openOptOuts(context: Context, { optOuts }: ListenInput, secrets: () => readonly string[]) {
  const { host, given } = context;
  const caller = optOuts ? currentCaller(context) : optionalCaller(context);
  if (!caller) return undefined;
  const words = caller.kind === 'service' ? (caller.optOutWords?.split(',') ?? []) : [];
  const note = (text: string) => context.note('opt-out', text);
  const addCommand = (phone: string) => `bizmsg opt-outs add ${phone}${profileOption(given.profile)}`;
  const [{ keepOptOuts }, { openOwnRecord }] = await Promise.all([
    import('../../webhooks/opt-outs.ts'),
    import('../../session/record.ts'),
  ]);
  const record = optOuts ? await openOwnRecord(context, 'write') : undefined;
  return { keep: keepOptOuts({ host, record, words, secrets, note, addCommand }), close: async () => record?.close() };
}

async function senderFor(context: Context, { catchUp }: ListenInput): Promise<Sender> {
  const sender = await senderOf(context);
  if (optionalCaller(context)?.source === 'newcomer') context.note('newcomer', newcomerNote);
  if (!catchUp || sender.kind === 'sandbox') return sender;
  throw usage('--catch-up needs the sandbox', 'leave it out, or add --profile local');
}

/** Where the sender reaches a listener; one that listens on all addresses is reached on 127.0.0.1. */
function deliveryUrl({ url, port }: Listener, { host, path = '' }: ListenInput): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}${path}`;
  return path === '' ? url.replace(/\/$/, '') : url;
}

function noteSender({ note }: Context, sender: Sender, url: string): void {
  if (sender.kind === 'account')
    note(
      'account',
      `events of the account ${sender.name} arrive only through a public address that leads to ${url} and is ` +
        'registered in the account settings (the API has no endpoint for that)',
    );
  if (sender.kind === 'unknown')
    note(
      'plain',
      `no profile is set, so any events sent to ${url} are accepted; --profile local receives those of the sandbox`,
    );
}

/** Prints until the signal. The subscription ends first, so that the sandbox does not send to a closed port. */
async function printUntilEnd(
  context: Context,
  input: ListenInput,
  { listener, subscription, stopped }: Listening & { readonly stopped: Promise<unknown> },
  emit: Emit,
): Promise<void> {
  const { host, note, given } = context;
  const end = async () => {
    await subscription?.close();
    const unsent = await listener.stop();
    if (unsent > 0) note('unsent', `events not forwarded: ${unsent}; send them with bizmsg webhooks replay --failed`);
  };
  const form = { ...input, phone: host.stdout.isTTY ? await openSpacedPhones() : (phone: string) => phone };
  const ended = stopped.then(end);
  let isAdvised = false;
  for await (const all of listener.printed()) {
    subscription?.report(all);
    // A line has the event and the result; JSON has an object for each.
    const shown = given.output === 'ndjson' ? all : all.filter((printed) => printed.forward ?? !printed.isForwarded);
    await emit(
      shown.map((printed) => ({ data: printed.forward ?? printed.event, text: (ui) => eventText(printed, ui, form) })),
    );
    const failed = all.find(({ forward }) => forward && forward.retry_in === undefined && !isDelivered(forward));
    if (failed && !isAdvised)
      note('replay', `bizmsg webhooks replay ${failed.event.id} sends it again, --failed all that failed`);
    isAdvised ||= failed !== undefined;
  }
  await ended;
}

function path(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw usage(`"${text}" is not a path`, 'it must begin with /, such as /hooks');
}
