import type { Fields, Mapped } from '../row.ts';
import { refuseConflicts } from './conflicts.ts';
import type { Claim } from './conflicts.ts';
import { converted } from './contact-options.ts';
import { claimOf, give, namedInputs, stepOf } from './contact-plan.ts';
import type { Plan, Step } from './contact-plan.ts';
import { own } from './fields.ts';
import type { Body } from './fields.ts';
import { quoted } from './refused.ts';
import { noColumn, noField } from './unknown.ts';

/** A table's rows, by steps that its headers decide. An empty cell is no field. */
export function tableMapping(plan: Plan, headers: readonly string[]): (fields: Fields) => Mapped {
  for (const [flag, name] of namedInputs(plan.options))
    if (!headers.includes(name)) throw noColumn(flag, name, headers, plan.maps);
  const steps = headers.flatMap((header) => stepsFrom(plan, header));
  refuseConflicts([...steps.map(columnClaim), ...plan.constants.map(claimOf)]);
  const fields = [...steps, ...plan.constants].map(({ path }) => path.join('.'));
  for (const [flag, field] of converted(plan.options))
    if (!fields.includes(field)) throw noField(flag, field, plan, fields);
  return (row) => bodyOf(row, steps, plan.constants);
}

function bodyOf(row: Fields, steps: readonly Step[], constants: readonly Step[]): Mapped {
  const body: Body = {};
  let isEmpty = true;
  for (const step of steps) {
    const cell = own(row, step.from);
    if (cell === undefined || cell === '') continue;
    const reason = give(body, step, cell);
    if (reason !== undefined) return { reason };
    isEmpty = false;
  }
  if (isEmpty) return { reason: 'every cell of it that would be sent is empty' };
  for (const constant of constants) give(body, constant, constant.from);
  return { body };
}

function stepsFrom(plan: Plan, header: string): readonly Step[] {
  const maps = plan.maps.filter(({ from }) => from === header);
  if (maps.length > 0) return maps.map(({ to }) => stepOf(plan, header, to));
  if (plan.drops.has(header)) return [];
  return [stepOf(plan, header, pathOf(header))];
}

/** Dots nest, as they do in every flag. */
function pathOf(header: string): readonly string[] {
  const parts = header.split('.');
  return parts.includes('') ? [header] : parts;
}

function columnClaim({ from, path }: Step): Claim {
  return { path, by: `the column ${quoted(from)}` };
}
