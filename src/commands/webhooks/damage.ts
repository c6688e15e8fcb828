import type { Context } from '../../cli/command.ts';
import type { OnDamage } from '../../base/journal-lines.ts';

/** What is damaged in the journals of listeners keeps nobody from seeing the rest. */
export async function sayingDamage({ note }: Pick<Context, 'note'>): Promise<OnDamage> {
  const { sayingOnce } = await import('../../base/journal-lines.ts');
  return sayingOnce((text) => note('journal-damaged', text));
}
