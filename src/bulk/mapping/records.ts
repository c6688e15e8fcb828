import { isRecord } from '../../contract/readers.ts';
import type { Fields, Mapped } from '../row.ts';
import { give, neededInputs, stepOf } from './contact-plan.ts';
import type { Plan, Step } from './contact-plan.ts';
import { put } from './fields.ts';
import type { Body } from './fields.ts';
import { Refused, named } from './refused.ts';
import { noField } from './unknown.ts';

interface Parts {
  readonly plan: Plan;
  readonly steps: readonly Step[];
  /** The input's fields that do not stand for themselves. */
  readonly taken: ReadonlySet<string>;
  /** The body's fields that get parts from elsewhere. */
  readonly shared: ReadonlySet<string>;
}

/** Records, each with fields of its own. What is null or an empty text in them is sent as such. */
export function recordMapping(plan: Plan): (fields: Fields) => Mapped {
  const steps = plan.maps.map(({ from, to }) => stepOf(plan, from, to));
  const taken = new Set([...plan.drops, ...plan.maps.map(({ from }) => from)]);
  const nested = [...steps, ...plan.constants].filter(({ path }) => path.length > 1);
  const parts = { plan, steps, taken, shared: new Set(nested.map(({ path }) => path[0] ?? '')) };
  const fields = [...steps, ...plan.constants].map(({ path }) => path.join('.'));
  for (const [flag, field] of neededInputs(plan.options))
    if (flag !== '--map' && flag !== '--drop' && taken.has(field)) throw noField(flag, field, plan, fields);
  return (record) => bodyOf(record, parts);
}

function bodyOf(record: Fields, { plan, steps, taken, shared }: Parts): Mapped {
  const body: Body = {};
  let isEmpty = true;
  for (const name of Object.keys(record)) {
    if (taken.has(name)) continue;
    const value = ownValue(plan, name, record[name]);
    if (value instanceof Refused) return { reason: `${named(name)}: ${value.why}` };
    // What another field is put into must not be the record's own, which may have to be written again as it came.
    put(body, name, shared.has(name) && isRecord(value) ? structuredClone(value) : value);
    isEmpty = false;
  }
  for (const step of steps) {
    if (!Object.hasOwn(record, step.from)) continue;
    const reason = give(body, step, record[step.from]);
    if (reason !== undefined) return { reason };
    isEmpty = false;
  }
  return isEmpty ? { reason: 'it has no field that would be sent' } : withConstants(body, plan.constants);
}

function ownValue({ conversions }: Plan, name: string, value: unknown): unknown {
  const convert = conversions.get(name);
  return convert && value !== '' && value !== null ? convert(value) : value;
}

function withConstants(body: Body, constants: readonly Step[]): Mapped {
  for (const constant of constants) {
    const reason = give(body, constant, constant.from);
    if (reason !== undefined) return { reason };
  }
  return { body };
}
