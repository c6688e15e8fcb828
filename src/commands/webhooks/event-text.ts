import type { Ui } from '../../cli/command.ts';
import type { Past } from '../../webhooks/log/history.ts';
import type { Forwarded } from '../../webhooks/log/records.ts';
import type { WebhookEvent } from '../../webhooks/event/event.ts';
import { prettyJson } from './pretty-json.ts';

/** What is shown of an event. Its body is bytes, so that it comes here as it is. */
export interface Shown {
  readonly past: Past;
  readonly event: Omit<WebhookEvent, 'body'>;
  readonly body: Buffer;
  readonly kind: WebhookEvent['body']['kind'];
}

/** An event with its headers, its body and what came of sending it on. */
export function eventText({ past: { event: received, forwards }, event, body, kind }: Shown, ui: Ui): string {
  const { id, received_at: at, remote, port, method, path, headers } = received;
  const about = [event.message_id, event.recipient, event.about, event.reason].filter((one) => one !== undefined);
  return [
    [ui.color.bold(id), new Date(at).toISOString(), event.name ?? 'no name'].join('  '),
    `from ${remote} to port ${port}${about.length > 0 ? `: ${about.join(', ')}` : ''}`,
    '',
    `${method} ${path}`,
    ...headers.map(([name, value]) => `${ui.color.dim(`${name}:`)} ${value}`),
    ...(kind === 'none' ? [] : ['', bodyText(body, kind, ui)]),
    ...(event.trouble === undefined ? [] : ['', `The body is shown as it came: ${event.trouble}`]),
    ...(forwards.length > 0 ? ['', ...forwards.map(forwardText)] : []),
    '',
  ].join('\n');
}

function bodyText(body: Buffer, kind: Shown['kind'], ui: Ui): string {
  if (kind === 'bytes') return `${body.length} bytes that are no text: --raw has them`;
  const text = body.toString();
  return ui.outside(kind === 'json' && ui.terminal ? prettyJson(text) : text);
}

function forwardText({ forwarded_at: at, url, status, error, ms }: Forwarded): string {
  const answered = [status, error].filter((one) => one !== undefined).join(' ');
  return ['forwarded', new Date(at).toISOString(), url, answered, `${ms} ms`].join('  ');
}
