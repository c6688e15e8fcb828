import type { Delivery } from '../../logs/events.ts';

/** The parts of a delivery that are written to a file. */
export type RawDelivery = Pick<Delivery, 'method' | 'path' | 'headers' | 'body'>;

/** Writes a delivery as HTTP: request line, headers as received, an empty line and the body. */
export function writeRaw({ method, path, headers, body }: RawDelivery): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body]);
}

/** Reads such a file; undefined if it is not HTTP. Accepts LF line ends, which editors may have written. */
export function readRaw(bytes: Buffer): RawDelivery | undefined {
  const text = bytes.toString('latin1');
  const { index: end = -1, 0: gap = '' } = /\r?\n\r?\n/.exec(text) ?? {};
  const [first = '', ...lines] = (end < 0 ? text.replace(/\r?\n$/, '') : text.slice(0, end)).split(/\r?\n/);
  const [, method, path] = /^([!#$%&'*+.^_`|~\w-]+) (\S.*) HTTP\/\d\.\d$/.exec(first) ?? [];
  if (method === undefined || path === undefined) return undefined;
  const headers = lines.map(headerIn);
  if (!headers.every((header) => header !== undefined)) return undefined;
  return { method, path, headers, body: bytes.subarray(end < 0 ? bytes.length : end + gap.length) };
}

function headerIn(line: string): readonly [string, string] | undefined {
  const [, name, value] = /^([^\s:]+):[ \t]*(.*)$/.exec(line) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
}
