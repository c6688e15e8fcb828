import { alwaysQuote } from '../base/shell-quote.ts';
import type { Conceal } from './trace.ts';
import type { WireRequest } from './transport.ts';
import { jsonText, parseJson } from '../base/json.ts';

/** A request as --dry-run shows it: the key is a name, and nothing was sent. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Its JSON, or its text where it is none. */
  readonly body?: unknown;
}

/** Thrown in place of a request. Not a failure: whoever asked for a dry run catches it. */
export class Planned extends Error {
  readonly request: PlannedRequest;

  constructor(request: PlannedRequest) {
    super(`${request.method} ${request.url} was planned, not sent`);
    this.name = 'Planned';
    this.request = request;
  }
}

export function planned(request: WireRequest, conceal: Conceal): Planned {
  const { method, url, headers, body } = request;
  return new Planned({
    method,
    url: conceal.text(url),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        name === 'Authorization' ? keyByName : conceal.text(value),
      ]),
    ),
    ...(body !== undefined && { body: conceal.value(valueOf(body)) }),
  });
}

const keyByName = 'Bearer $BIZMSG_API_KEY';

/** The request as a line for a shell. Only the key's header is in double quotes, so only the key expands. */
export function curlLine({ method, url, headers, body }: PlannedRequest): string {
  const verb = method === 'HEAD' ? ['--head'] : method === 'GET' && body === undefined ? [] : ['-X', method];
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', headerWord(name, value)]);
  const text = typeof body === 'string' ? body : jsonText(body);
  const data = body === undefined ? [] : ['--data-raw', alwaysQuote(text)];
  return ['curl', '-sS', '--globoff', ...verb, ...given, ...data, alwaysQuote(url)].join(' ');
}

function headerWord(name: string, value: string): string {
  if (value === keyByName) return `"${name}: ${value}"`;
  return alwaysQuote(value === '' ? `${name};` : `${name}: ${value}`);
}

function valueOf(body: string | Uint8Array): unknown {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  try {
    const value = parseJson(text);
    // Written again it must be the same request.
    return jsonText(value) === text && typeof value !== 'string' ? value : text;
  } catch {
    return text;
  }
}
