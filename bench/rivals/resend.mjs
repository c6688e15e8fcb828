// resend-cli registers a webhook when it starts, and removes it at the end. This server replaces its API, so that no
// account and no network are needed.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** `asked` resolves when resend-cli registers its webhook; it is listening by then. */
export async function startResendApi() {
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

/** Environment variables that keep resend-cli from calling other servers. */
export function variables(url) {
  return {
    RESEND_BASE_URL: url,
    RESEND_API_KEY: 're_bench',
    RESEND_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
    RESEND_NO_UPDATE_NOTIFIER: '1',
  };
}
