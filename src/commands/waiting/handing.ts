import type { Context } from '../../cli/command.ts';
import { CliError } from '../../base/errors.ts';
import { openHandler } from '../../webhooks/forward/replay.ts';
import type { Happened } from '../../webhooks/watch/watch.ts';

export interface Handed {
  readonly url: URL;
  /** The same as it was given. */
  readonly forwardTo: string;
  /** What has to be answered. */
  readonly answer: Answer | undefined;
}

interface Answer {
  readonly text: string;
  holds(status: number): boolean;
}

/** Hands events to code that is to take them. */
export interface Handing {
  /** Why what it answered will not do. */
  hand(event: Happened): Promise<CliError | undefined>;
  /** What is under way ends without an answer. */
  close(): void;
}

export function createHanding({ url, forwardTo, answer }: Handed, { note }: Pick<Context, 'note'>): Handing {
  const handler = openHandler(url);
  return {
    async hand({ name = 'an event without a name', received }) {
      if (!received) return undefined;
      const answered = await handler.hand(received);
      const who = `the handler at ${forwardTo}`;
      const due = { hint: `${answer?.text ?? 'an answer'} is due` };
      if ('error' in answered)
        return new CliError('opposite', 'answer', `${who} did not answer ${name}: ${answered.error}`, due);
      const message = `${who} answered ${answered.status} to ${name}`;
      if (answer && !answer.holds(answered.status)) return new CliError('opposite', 'answer', message, due);
      note('answer', message);
      return undefined;
    },
    close: handler.close,
  };
}
