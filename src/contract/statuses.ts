import { isRecord } from './readers.ts';

// §7
export const statuses = {
  400: { name: 'Bad Request', cause: 'The request body is missing a required field or is malformed.' },
  401: { name: 'Unauthorized', cause: 'The key is missing, invalid or revoked.' },
  403: { name: 'Forbidden', cause: 'The plan does not include access to the endpoint.' },
  404: { name: 'Not Found', cause: 'The referenced resource ID does not exist.' },
  429: { name: 'Rate Limited', cause: "The plan's requests-per-minute limit has been exceeded." },
  500: {
    name: 'Server Error',
    cause: 'A fault on the service side. Persisting faults are to be reported to support.',
  },
} as const;

export type ErrorStatus = keyof typeof statuses;

/** The message in the parsed body of an error, if one of the usual fields has it. §7 does not show the body. */
export function errorDetail(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const nested = isRecord(body['error']) ? body['error'] : {};
  const places = [body['detail'], body['message'], nested['message'], nested['detail'], body['error'], body['title']];
  return places
    .filter((text) => typeof text === 'string')
    .find((text) => text.length <= 200 && /^[^\p{Cc}]+$/u.test(text));
}
