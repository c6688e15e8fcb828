import { command, type Context, type Ui } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { flag, knowing, option, repeated, required } from '../cli/params.ts';
import { unsafe, usage } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import { jsonText, tryJson } from '../base/json.ts';
import { againFlag, refuseExcluded } from './send-template.ts';
import { bodyField, type Field, nested } from './body.ts';

export const api = command({
  name: 'api',
  summary: 'Make a raw API request',
  details: 'In a pipe, prints the body of a successful response unchanged. On a terminal, formats JSON.',
  params: {
    path: required('<path>', 'a path below the base URL, such as /api/public/contacts'),
    method: knowing(
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
      option('-X, --method <method>', 'the HTTP method (default: GET, or POST with a body)', method),
    ),
    field: repeated(
      '-f, --field <key=value>',
      'a field of the body, as text: name=Ada, a[b]=text, params[]=Ada',
      bodyField,
    ),
    typed: repeated(
      '-F, --typed-field <key=value>',
      'the same for true, false, null, numbers, JSON lists and objects, or @file for its text',
      bodyField,
    ),
    header: repeated('-H, --header <name:value>', 'a request header', header),
    include: flag('-i, --include', 'also print the status and the headers of the response'),
    input: option('--input <file>', 'a file with the whole body, or - for stdin'),
    again: againFlag,
  },
  examples: [
    'api /api/public/templates --profile local',
    'api /api/public/contacts -f phone=+12025550144 -f name=Ada --profile local',
    'api /api/public/contacts -i --profile local',
    "api /api/public/messages/send-template -f to=+12025550101 -f template=welcome -f 'params[]' --profile local",
  ],
  accepts: callOptions,
  piped: 'verbatim',
  run: async (context, { path, method, field, typed, header, include, input, again }) => {
    const fields = [...field, ...(await Promise.all(typed.map((field) => typedField(context, field))))];
    if (input !== undefined && fields.length > 0)
      throw usage('--input is the whole body and cannot be combined with fields');
    const fieldsBody = fields.length > 0 ? jsonText(nested(fields)) : undefined;
    const body = input === undefined ? fieldsBody : await context.read(input);
    const chosen = method ?? (body === undefined ? 'GET' : 'POST');
    if (fields.length > 0 && (chosen === 'GET' || chosen === 'HEAD'))
      throw usage(`fields are sent in the body, and a ${chosen} has none`, 'put them into the path: /path?key=value');
    await refuseMessage(context, { method: chosen, path, body });
    const client = await context.client();
    const request = { method: chosen, path, headers: headersOf(header), ...(body !== undefined && { body }) };
    return { ...(await context.sendOnce(client.raw(request), { again })), include, method: chosen };
  },
  changes: ({ method }) => mayChange(method),
  data: ({ body }) => parsed(body.toString('utf8')),
  view: ({ body, ...answer }, ui) => {
    const before = answer.include ? head(answer, ui) : '';
    if (!ui.terminal) return Buffer.concat([Buffer.from(before), body]);
    return before + ui.outside(formatted(body.toString()));
  },
});

/** The profile's exclude file holds for a message as well that is sent in this way. */
async function refuseMessage(
  context: Context,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: string | undefined },
): Promise<void> {
  if (!mayChange(method) || !URL.canParse(path, 'http://x')) return;
  const { messageIn } = await import('../session/request-facts.ts');
  const { href: url } = new URL(path, 'http://x');
  const outgoing = await messageIn({ method, url, body });
  if (outgoing) await refuseExcluded(context, outgoing.to);
}

function mayChange(method: string | undefined): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

function head({ status, headers }: ResponseHead, ui: Ui): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${[value ?? ''].flat().join(', ')}`);
  return ui.outside(`HTTP ${status}\n${lines.join('\n')}\n\n`);
}

function method(text: string): string {
  if (/^[A-Za-z]+$/.test(text)) return text.toUpperCase();
  throw usage(`"${text}" is not an HTTP method`);
}

function header(text: string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\0-\x08\x0a-\x1f\x7f]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw usage('a header has the form name:value');
  if (name.toLowerCase() === 'authorization' || redact(value) !== value) {
    throw unsafe(
      'key-in-arguments',
      'refusing a key on the command line, where every process can read it',
      'use a profile or BIZMSG_API_KEY',
    );
  }
  return [name, value];
}

/** A request is made of an object, which would keep only the last value of a name. */
function headersOf(all: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const names = all.map(([name]) => name.toLowerCase());
  const repeat = all.find((_, at) => names.indexOf(names[at] ?? '') < at);
  if (repeat) throw usage(`the header ${repeat[0]} is given twice`, 'give it once, with its values joined by commas');
  return Object.fromEntries(all);
}

async function typedField(context: Context, { key, value }: ReturnType<typeof bodyField>): Promise<Field> {
  if (value === undefined) return { key, value };
  if (value.startsWith('@')) return { key, value: await context.read(value.slice(1)) };
  const json = parsed(value);
  return { key, value: json === undefined || typeof json === 'string' ? value : json };
}

function formatted(text: string): string {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? jsonText(value, 2) : text;
}

function parsed(text: string): unknown {
  const value = tryJson(text);
  return value === undefined && text !== '' ? text : value;
}
