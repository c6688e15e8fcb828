import type { Context } from '../../cli/command.ts';
import { unsafe } from '../../base/errors.ts';

/** Throws if events may leave this machine in spite of BIZMSG_ONLY=local. */
export async function checkExternal(context: Context, isExternal: boolean): Promise<void> {
  if (!isExternal || !(await context.onlyLocal())) return;
  throw unsafe(
    'only-local',
    'BIZMSG_ONLY=local refuses --allow-external',
    'unset BIZMSG_ONLY, or keep to URLs of this machine',
  );
}
