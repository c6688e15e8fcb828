// The listener of resend-cli asks its service for a webhook when it begins, and has it removed when it ends. This
// answers in place of the service, so that it needs neither an account nor a network.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** `asked` resolves when it has asked for a webhook, by which time it listens. */
export async function standIn() {
  let begun;
  const asked = new Promise((resolve) => (begun = resolve));
  const server = createServer((request, answer) => {
    answer.setHeader('content-type', 'application/json');
    request.resume().on('end', () => answer.end('{"object":"webhook","id":"wh_bench","signing_secret":"whsec_AAAA"}'));
    if (request.method === 'POST') answer.on('finish', begun);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return { url: `http://127.0.0.1:${server.address().port}`, asked };
}

/** What it is told, so that it calls nobody else. */
export function variables(url) {
  return {
    RESEND_BASE_URL: url,
    RESEND_API_KEY: 're_bench',
    RESEND_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
    RESEND_NO_UPDATE_NOTIFIER: '1',
  };
}
