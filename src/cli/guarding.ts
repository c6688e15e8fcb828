import type { Guard } from '../activity/once.ts';
import type { Earlier } from '../activity/twice.ts';
import type { Line } from './calling.ts';

/** How somebody learns that a live message was sent before. */
export async function guardOf({ host, given, reporter }: Line, allowUnsure: boolean): Promise<Guard> {
  const [{ isInteractive }, { createPrompts }, { again, question, refusal }] = await Promise.all([
    import('./caller.ts'),
    import('./prompts.ts'),
    import('./twice.ts'),
  ]);
  const asks = !given.yes && isInteractive(host, given);
  const now = () => host.now();
  const damage = new Set<string>();
  return {
    allowUnsure,
    kill: host.kill,
    onDamage: ({ text }) => {
      if (!damage.has(text)) reporter.note('activity', `${text}, and may be about the very same`);
      damage.add(text);
    },
    ask: asks ? (earlier: Earlier) => createPrompts(host, given).confirm(question(earlier, now())) : undefined,
    tell: (earlier) => void (given.quiet || reporter.note('sent-before', again(earlier, now()))),
    refusal: (earlier) => refusal(earlier, now()),
  };
}
