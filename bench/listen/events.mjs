// Creates the events as raw HTTP requests.
import { createHmac } from 'node:crypto';

export const connections = 50;
const key = Buffer.from('the secret of the benchmark');
export const secret = `whsec_${key.toString('base64')}`;

/**
 * Returns signed events. Each connection has its own messages, so that the events of a message are sent in order.
 */
export function eventsNow(count, more = {}) {
  const timestamp = Math.floor(Date.now() / 1_000);
  return Array.from({ length: count }, (_, n) => eventOf(n, timestamp, more));
}

export function signatureOf(id, timestamp, body) {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** The message of the event with this number. */
export function messageOf(n) {
  return `msg_${n % connections}_${Math.floor(n / connections) % 3}`;
}

function eventOf(n, timestamp, more) {
  const data = { message_id: messageOf(n), to: '+12025550101', status: 'delivered', timestamp, ...more };
  const body = JSON.stringify({ type: 'message.delivered', n, data });
  const headers = [
    'content-type: application/json',
    `webhook-id: evt_${n}`,
    `webhook-timestamp: ${timestamp}`,
    `webhook-signature: ${signatureOf(`evt_${n}`, timestamp, body)}`,
    `content-length: ${body.length}`,
  ];
  return `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}
