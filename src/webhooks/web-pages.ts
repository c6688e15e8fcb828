import type { IncomingMessage } from 'node:http';

const longest = 100;

/** The web page that had a browser send a request, if one did. Services that send events name none. */
export function pageBehind({ headers, socket }: IncomingMessage): string | undefined {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && !isOwn(origin, socket.localPort)) {
    return origin === 'null' ? 'a web page' : `the web page ${origin.slice(0, longest)}`;
  }
  return site === 'cross-site' || site === 'same-site' ? 'a web page' : undefined;
}

/** The host header proves nothing: a page may give its own name this machine's address. */
function isOwn(origin: string, port: number | undefined): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].some((name) => origin === `http://${name}:${port}`);
}
