import { cell, type Row } from '../../cli/output/rows.ts';

/** How many of each, by names in the plural: `1 contact, 2 templates`. */
export function counted(counts: Row): string {
  return Object.entries(counts)
    .map(([name, count]) => `${cell(count)} ${count === 1 ? name.replace(/s$/, '') : name}`)
    .join(', ');
}
