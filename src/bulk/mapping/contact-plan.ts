import { usage } from '../../errors.ts';
import { splitBy, toBoolean, toJson, toNumber } from './conversions.ts';
import type { Convert } from './conversions.ts';
import type { Claim } from './conflicts.ts';
import { checkContactMapping, converted } from './contact-options.ts';
import type { ContactMappingOptions, Named } from './contact-options.ts';
import { place } from './fields.ts';
import type { Body } from './fields.ts';
import type { FieldMap } from './flags.ts';
import { createPhoneReader } from './phone.ts';
import type { PhoneReader } from './phone.ts';
import { Refused, described, named } from './refused.ts';

/** A mapping before it meets an input. */
export interface Plan {
  readonly options: ContactMappingOptions;
  readonly maps: readonly FieldMap[];
  readonly drops: ReadonlySet<string>;
  readonly constants: readonly Step[];
  readonly conversions: ReadonlyMap<string, Convert>;
}

/** From a value to its place in a body. */
export interface Step {
  /** The input's field, or a constant's value. */
  readonly from: string;
  readonly path: readonly string[];
  /** The path as it is named in a message. */
  readonly field: string;
  readonly convert: Convert | undefined;
}

export async function createPlan(options: ContactMappingOptions): Promise<Plan> {
  checkContactMapping(options);
  const { map = [], drop = [] } = options;
  const conversions = await conversionsOf(options);
  return { options, maps: map, drops: new Set(drop), conversions, constants: constantsOf(options, conversions) };
}

export function stepOf(plan: Pick<Plan, 'conversions'>, from: string, path: readonly string[]): Step {
  const field = path.join('.');
  return { from, path, field: named(field), convert: plan.conversions.get(field) };
}

/** Gives a body the value of a step, or tells why it cannot. */
export function give(body: Body, { path, field, convert }: Step, value: unknown): string | undefined {
  const sent = convert && value !== '' && value !== null ? convert(value) : value;
  if (sent instanceof Refused) return `${field}: ${sent.why}`;
  return place(body, path, sent) ? undefined : `${field}: it is given twice, or a part of it is`;
}

/** The input's fields that flags name as such. */
export function namedInputs({ map = [], drop = [] }: ContactMappingOptions): readonly Named[] {
  return [...map.map(({ from }) => ['--map', from] as const), ...drop.map((name) => ['--drop', name] as const)];
}

/** The input's fields without which a flag would do nothing: also those that stand for themselves in the body. */
export function neededInputs(options: ContactMappingOptions): readonly Named[] {
  const { map = [], set = [] } = options;
  const given = new Set([...map.map(({ to }) => to.join('.')), ...set.map(({ key }) => key.join('.'))]);
  return [...namedInputs(options), ...converted(options).filter(([, field]) => !given.has(field))];
}

export function claimOf({ path }: Step): Claim {
  return { path, by: `--set ${path.join('.')}` };
}

async function conversionsOf(options: ContactMappingOptions): Promise<ReadonlyMap<string, Convert>> {
  const { split = [], phone = [], number = [], boolean = [], json = [], country } = options;
  const toPhone = phone.length > 0 ? phoneConvert(await createPhoneReader(country)) : undefined;
  return new Map([
    ...split.map(({ field, by }) => [field, splitBy(by)] as const),
    ...number.map((field) => [field, toNumber] as const),
    ...boolean.map((field) => [field, toBoolean] as const),
    ...json.map((field) => [field, toJson] as const),
    ...(toPhone ? phone.map((field) => [field, toPhone] as const) : []),
  ]);
}

function phoneConvert(read: PhoneReader): Convert {
  return (value) => {
    if (typeof value === 'string') return read(value);
    const isNumber = typeof value === 'number' || typeof value === 'bigint';
    return isNumber ? read(String(value)) : new Refused(`${described(value)} is not a phone number`);
  };
}

/** In an order of their own, so that the order of flags changes no body. */
function constantsOf(options: ContactMappingOptions, conversions: Plan['conversions']): readonly Step[] {
  const { set = [] } = options;
  const steps = set.map(({ key, value }) => stepOf({ conversions }, value, key));
  for (const step of steps) {
    const trouble = give({}, step, step.from);
    const [flag = ''] = converted(options).find(([, field]) => field === step.path.join('.')) ?? [];
    if (trouble !== undefined) throw usage(`--set ${trouble}`, `give a value that ${flag} can read`);
  }
  return steps.sort((a, b) => (a.field < b.field ? -1 : 1));
}
