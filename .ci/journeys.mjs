/** Tests of the command itself that may depend on what runs it: processes, signals, terminals, streams and sockets. */
export const journeys = [
  'test/e2e/exec',
  'test/e2e/failures',
  'test/e2e/import-crash',
  'test/e2e/import-stops',
  'test/e2e/journey',
  'test/e2e/listen.test',
  'test/e2e/on-demand',
  'test/e2e/docs-webhooks',
  'test/e2e/stdin',
  'test/e2e/terminal',
];
