// Sends events over 50 connections, one at a time on each. Uses raw sockets, because an HTTP client is slower than the
// measured servers.
import { once } from 'node:events';
import { connect } from 'node:net';
import { connections } from './events.mjs';

/**
 * Sends as fast as events are acknowledged, or `perSecond`. Returns the times when each was sent and acknowledged;
 * `onAcknowledged` gets their count each time.
 */
export async function sendAll({ url, name }, events, { perSecond = Infinity, onAcknowledged = () => {} } = {}) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(url)));
  const [sent, acknowledged] = [new Float64Array(events.length), new Float64Array(events.length)];
  let count = 0;
  const began = performance.now();
  await Promise.all(sockets.map(sendOwn));
  for (const socket of sockets) socket.destroy();
  return { began, sent, acknowledged };

  async function sendOwn(socket, own) {
    for (let n = own; n < events.length; n += connections) {
      await until(began + (1_000 * n) / perSecond);
      sent[n] = performance.now();
      const answer = await ask(socket, events[n]);
      acknowledged[n] = performance.now();
      if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`${name} answered ${answer.split('\r\n')[0]}`);
      onAcknowledged(++count);
    }
  }
}

async function open(url) {
  const { port, hostname: host } = new URL(url);
  const socket = connect({ port: Number(port), host, noDelay: true }).setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

function ask(socket, text) {
  return new Promise((resolve, reject) => {
    let answer = '';
    const take = (part) => {
      answer += part;
      if (isWhole(answer)) leave(() => resolve(answer));
    };
    const fail = () => leave(() => reject(new Error('a connection was closed before it was answered')));
    const leave = (settle) => {
      socket.off('data', take).off('close', fail);
      settle();
    };
    socket.on('data', take).on('close', fail);
    socket.write(text);
  });
}

function isWhole(answer) {
  const head = answer.indexOf('\r\n\r\n') + 4;
  if (head < 4) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer)?.[1];
  return length === undefined ? answer.endsWith('\r\n0\r\n\r\n') : answer.length >= head + Number(length);
}

async function until(due) {
  const wait = due - performance.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
}
