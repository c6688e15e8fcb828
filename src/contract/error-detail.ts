import { isRecord } from './readers.ts';

/** The message in the parsed body of an error, if one of the usual fields has it. §7 does not show the body. */
export function errorDetail(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const nested = isRecord(body['error']) ? body['error'] : {};
  const places = [body['detail'], body['message'], nested['message'], nested['detail'], body['error'], body['title']];
  return places
    .filter((text) => typeof text === 'string')
    .find((text) => text.length <= 200 && /^[^\p{Cc}]+$/u.test(text));
}
