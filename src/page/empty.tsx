import type { ComponentChildren } from 'preact';
import { Icon } from './icons.tsx';
import { Copy } from './notice.tsx';

export const firstMessage = 'bizmsg send-template +12025550101 order_update -p Ada -p A-1 --profile local';

interface EmptyProps {
  readonly title: string;
  /** A command that changes that. */
  readonly command: string;
  readonly children?: ComponentChildren;
}

/** Instead of a list that has nothing yet. */
export function Empty({ title, command, children }: EmptyProps) {
  return (
    <section class="start" aria-label={title}>
      <Icon name="inbox" />
      <h2>{title}</h2>
      <div class="command">
        <code>{command}</code>
        <Copy label="Copy command" icon="copy" text={command} />
      </div>
      {children}
    </section>
  );
}
