import { unicodeEscaped } from '../base/cell-escapes.ts';
import { maskKey, maskPhones, type Redactor } from '../base/redact.ts';
import { type Transport, type WireAnswer, type WireRequest } from './wire.ts';

interface TraceOptions {
  /** Prints a line of --debug. */
  readonly trace: (line: string) => void;
  readonly redactor: Redactor;
  readonly now: () => number;
}

/** Prints each request, and its answer or failure. */
export function traced(transport: Transport, { trace, redactor, now }: TraceOptions): Transport {
  return {
    ...transport,
    async send(request, limits) {
      const started = now();
      for (const line of requestLines(request, redactor)) trace(line);
      try {
        const answer = await transport.send(request, limits);
        for (const line of answerLines(answer, now() - started, redactor)) trace(line);
        return answer;
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        for (const line of marked('!', [`${text} (${Math.round(now() - started)} ms)`], redactor)) trace(line);
        throw error;
      }
    },
  };
}

/** Formats a request for --debug. */
export function requestLines(request: WireRequest, redactor: Redactor): string[] {
  const head = `${request.method} ${request.url}`;
  const headers = Object.entries(request.headers).map(([name, value]) => headerLine(name, value));
  return marked('>', [head, ...headers, ...bodyLines(textOf(request.body))], redactor);
}

export function answerLines(answer: WireAnswer, milliseconds: number, redactor: Redactor): string[] {
  const headers = Object.entries(answer.headers).map(([name, value = '']) =>
    headerLine(name, [value].flat().join(', ')),
  );
  const body = bodyLines(textOf(answer.body));
  return marked('<', [`${answer.status} (${Math.round(milliseconds)} ms)`, ...headers, ...body], redactor);
}

function headerLine(name: string, value: string): string {
  const bearer = /^Bearer (.+)$/i.exec(value)?.[1];
  if (/^authorization$/i.test(name) && bearer !== undefined) return `${name}: Bearer ${maskKey(bearer)}`;
  return /^(?:proxy-authorization|authorization|cookie|set-cookie)$/i.test(name) ? `${name}: …` : `${name}: ${value}`;
}

function textOf(body: string | Uint8Array | undefined): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body?.subarray(0, 65_536));
}

function bodyLines(text: string): string[] {
  return text === '' ? [] : ['', ...text.split(/\r?\n/)];
}

/** Redacts the whole text before cutting it, so that half a key or phone number is never left. */
function marked(mark: string, lines: readonly string[], redactor: Redactor): string[] {
  const numbers = maskPhones(redactor.text(lines.join('\n')));
  const safe = numbers.replace(/(%2B\d{3})\d{2,10}(\d{2})(?!\d)/gi, '$1…$2');
  const cut = safe.length > 8_192 ? `${safe.slice(0, 8_192)}…` : safe;
  return cut.split('\n').map((line) => `${mark} ${unicodeEscaped(line, { marks: true })}`.trimEnd());
}
