import * as read from './readers.ts';

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

// §7: the body of an error
export const errorAnswer = {
  body: read.notShown,
  codes: read.notShown,
} as const;
