import { parseJson } from '../base/json.ts';
import { isRecord } from '../contract/readers.ts';
import type { Batch } from '../store/batch.ts';

/** The columns of the file that a batch was loaded from last, and what separates them. */
export function columnsIn({ columns }: Pick<Batch, 'columns'>): {
  readonly columns: readonly string[] | undefined;
  readonly separator: string | undefined;
} {
  const stored = parseJson(columns);
  const { names, separator } = isRecord(stored) ? stored : {};
  return {
    columns: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined,
    separator: typeof separator === 'string' ? separator : undefined,
  };
}
