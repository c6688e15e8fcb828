// The events that are sent, as they go over a connection.
import { createHmac } from 'node:crypto';

export const connections = 50;
const key = Buffer.from('the secret of the benchmark');
export const secret = `whsec_${key.toString('base64')}`;

/**
 * So many, signed now, with more in their data. Each connection has messages of its own, so that the order in which it
 * sends is that of each.
 */
export function eventsNow(count, more = {}) {
  const timestamp = Math.floor(Date.now() / 1_000);
  return Array.from({ length: count }, (_, n) => eventOf(n, timestamp, more));
}

/** Of which message the event with that number tells. */
export function messageOf(n) {
  return `msg_${n % connections}_${Math.floor(n / connections) % 3}`;
}

function eventOf(n, timestamp, more) {
  const data = { message_id: messageOf(n), to: '+12025550101', status: 'delivered', timestamp, ...more };
  const body = JSON.stringify({ type: 'message.delivered', n, data });
  const signature = createHmac('sha256', key).update(`evt_${n}.${timestamp}.${body}`).digest('base64');
  const headers = [
    'content-type: application/json',
    `webhook-id: evt_${n}`,
    `webhook-timestamp: ${timestamp}`,
    `webhook-signature: v1,${signature}`,
    `content-length: ${body.length}`,
  ];
  return `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}
