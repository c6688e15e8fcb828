import { alwaysQuote } from '../base/posix-quote.ts';
import type { Redactor } from '../base/redact.ts';
import type { WireRequest } from './wire.ts';
import { jsonText, tryJson } from '../base/json.ts';

/** A request as shown by --dry-run, with a variable instead of the key. */
export interface DryRunRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or text if it is not JSON. */
  readonly body?: unknown;
}

/** Thrown instead of sending a request. Not a failure: the command line prints it. */
export class DryRunResult extends Error {
  readonly request: DryRunRequest;

  constructor(request: DryRunRequest) {
    super(`dry run: ${request.method} ${request.url} was not sent`);
    this.name = 'DryRunResult';
    this.request = request;
  }
}

export function dryRunResult({ method, url, headers, body }: WireRequest, redactor: Redactor): DryRunResult {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    name === 'Authorization' ? keyVariable : redactor.text(value),
  ]);
  return new DryRunResult({
    method,
    url: redactor.text(url),
    headers: Object.fromEntries(shown),
    ...(body !== undefined && { body: redactor.value(valueOf(body)) }),
  });
}

const keyVariable = 'Bearer $BIZMSG_API_KEY';

/** Formats the request as a curl command. Only the key's header is in double quotes, so only the key expands. */
export function curlLine({ method, url, headers, body }: DryRunRequest): string {
  const verb = method === 'HEAD' ? ['--head'] : method === 'GET' && body === undefined ? [] : ['-X', method];
  const words = Object.entries(headers).flatMap(([name, value]) => ['-H', headerWord(name, value)]);
  const text = typeof body === 'string' ? body : jsonText(body);
  const data = body === undefined ? [] : ['--data-raw', alwaysQuote(text)];
  return ['curl', '-sS', '--globoff', ...verb, ...words, ...data, alwaysQuote(url)].join(' ');
}

function headerWord(name: string, value: string): string {
  if (value === keyVariable) return `"${name}: ${value}"`;
  return alwaysQuote(value === '' ? `${name};` : `${name}: ${value}`);
}

function valueOf(body: string | Uint8Array): unknown {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const value = tryJson(text);
  // Only if serializing it again gives the same bytes.
  return jsonText(value) === text && typeof value !== 'string' ? value : text;
}
