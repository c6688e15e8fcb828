import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type RequestListener } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const fileOf = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const fixture = (name: string) => readFileSync(fileOf(name), 'utf8');

export const authorityFile = fileOf('authority.pem');
export const authority = fixture('authority.pem');
/** For this machine, api.bizmsg.test and api.example.com. */
export const identity = { key: fixture('server-key.pem'), cert: fixture('server.pem') };

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Service = Awaited<ReturnType<typeof serve>>;

export type Answering = (seen: Seen, ...rest: Parameters<RequestListener>) => void;

/** A server on a free port that records requests. */
export async function serve(answer: Answering, scheme: 'http' | 'https' = 'http') {
  const seen: Seen[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const asked = { method, url, headers, body: Buffer.concat(chunks).toString() };
      seen.push(asked);
      answer(asked, request, response);
    });
  };
  const server = scheme === 'http' ? http.createServer(listener) : https.createServer(identity, listener);
  const port = await listen(server);
  return { url: `${scheme}://127.0.0.1:${port}`, port, seen };
}

/** A server on raw sockets: `act` is called after each complete request. */
export async function serveBytes(act: (socket: Socket) => void, scheme: 'http' | 'https' = 'http') {
  const requests: string[] = [];
  const talk = (socket: Socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      const head = text.indexOf('\r\n\r\n');
      if (head < 0 || text.length < head + 4 + length) return;
      requests.push(text);
      text = '';
      act(socket);
    });
  };
  const server = scheme === 'http' ? net.createServer(talk) : tls.createServer(identity, talk);
  const port = await listen(server);
  return { url: `${scheme}://127.0.0.1:${port}`, port, requests };
}

/** A proxy that resolves every name to this machine. */
export async function serveProxy(port: number, refusal?: string) {
  const asked: string[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (chunk) => {
      asked.push(chunk.toString());
      if (refusal !== undefined) return socket.end(refusal);
      const onward = net.connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => {});
      return undefined;
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, asked };
}

/** A closed port. */
export async function deadPort(): Promise<number> {
  const server = net.createServer();
  const port = await bind(server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await bind(server);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return port;
}

function bind(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address: AddressInfo | string | null = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}
