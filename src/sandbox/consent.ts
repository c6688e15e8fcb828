import { isLoopback } from '../delivery/localhost.ts';
import { redact } from '../base/redact.ts';
import type { State } from './state.ts';

const reason = 'is on another machine, which nobody has allowed since the sandbox started';

/**
 * Disables the webhooks on other machines that a folder brings with it, unless they are allowed: the folder may be
 * somebody else's. This is not recorded, so it ends with the sandbox; adding such a webhook again enables it.
 */
export function withholdExternal(state: State, isAllowed: boolean, warn: (text: string) => void): void {
  for (const registered of state.webhooks.values()) {
    const { url } = registered.webhook;
    // A snapshot may have recorded it.
    if (registered.disabled === reason) registered.disabled = undefined;
    if (isAllowed || registered.disabled !== undefined || isLoopback(new URL(url).hostname)) continue;
    registered.disabled = reason;
    warn(`no events are sent to ${redact(url)}, which is on another machine; ${remedy}`);
  }
}

const remedy =
  'allow it with --allow-external at the start, or with bizmsg sandbox webhooks add <url> --allow-external';
