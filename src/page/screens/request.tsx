import { Json } from '../json.tsx';
import type { Message, Request } from '../state.ts';

interface RequestProps {
  readonly request: Request;
  readonly message: Message | undefined;
}

/** The log entry of a request, as `sandbox log --type requests` prints it, or its body. */
export function RequestDetails({ request, message }: RequestProps) {
  const { to, template, params } = message ?? {};
  return (
    <section aria-label="Request">
      <p class="note">
        <code>
          {request.method} {request.path}
        </code>
      </p>
      <Json value={message ? { to, template, params } : request} />
    </section>
  );
}
