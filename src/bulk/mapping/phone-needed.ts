import { isRecord } from '../../contract/readers.ts';
import type { Fields, Mapped } from '../row.ts';
import { own } from './fields.ts';
import { named } from './refused.ts';

/** Whoever names a contact's phone means that it has one; of several, one is enough. */
export function phoneNeeded(map: (fields: Fields) => Mapped, phones: readonly string[] = []): typeof map {
  if (phones.length === 0) return map;
  const [first, ...others] = phones.map(named);
  const reason = others.length === 0 ? `${first}: it is empty` : `${phones.map(named).join(', ')}: all are empty`;
  return (fields) => {
    const mapped = map(fields);
    if ('reason' in mapped || phones.some((field) => isFilled(mapped.body, field))) return mapped;
    return { reason };
  };
}

function isFilled(body: object, field: string): boolean {
  const step = (value: unknown, name: string) => (isRecord(value) ? own(value, name) : undefined);
  const value = step(body, field) ?? field.split('.').reduce(step, body);
  return value !== undefined && value !== null && value !== '';
}
