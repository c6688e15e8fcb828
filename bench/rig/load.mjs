// Sends requests over raw sockets, because an HTTP client is slower than the measured servers.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as text. */
export function requestOf({ method, path, headers = {}, body = '' }) {
  const all = { host: '127.0.0.1', 'content-length': Buffer.byteLength(body), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/**
 * Sends the requests as fast as they are answered, or `rate` a second. Each connection has one at a time, and every n-th
 * of them in order. `onSend` gets the number of the request, `onAnswer` the count of answers.
 */
export async function load({ name, url }, requests, options = {}) {
  const { connections = 64, rate = Infinity, onSend = () => {}, onAnswer = () => {} } = options;
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(new URL(url))));
  let answers = 0;
  const began = performance.now();
  const send = async (socket, first) => {
    for (let n = first; n < requests.length; n += connections) {
      if (rate < Infinity) await sleep(began + (1_000 * n) / rate - performance.now());
      onSend(n);
      const answer = await ask(socket, requests[n]);
      if (!answer.startsWith('HTTP/1.1 20')) throw new Error(`${name} answered ${answer.slice(0, 300)}`);
      onAnswer(++answers);
    }
  };
  await Promise.all(sockets.map(send));
  const took = performance.now() - began;
  for (const socket of sockets) socket.destroy();
  return { perSecond: (1_000 * requests.length) / took };
}

async function open({ port, hostname: host }) {
  const socket = connect({ port: Number(port), host, noDelay: true }).setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

function ask(socket, text) {
  return new Promise((resolve, reject) => {
    let answer = '';
    const take = (part) => {
      answer += part;
      if (!isWhole(answer)) return;
      socket.off('data', take).off('close', fail);
      resolve(answer);
    };
    const fail = () => reject(new Error('a connection was closed before it was answered'));
    socket.on('data', take).on('close', fail).write(text);
  });
}

function isWhole(answer) {
  const head = answer.indexOf('\r\n\r\n') + 4;
  if (head < 4) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer)?.[1];
  return length === undefined ? answer.endsWith('\r\n0\r\n\r\n') : answer.length >= head + Number(length);
}
