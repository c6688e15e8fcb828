import type { SendOptions } from '../../store/world.ts';
import { profileOf } from './choices.ts';
import type { Machine } from './rig.ts';

/** The people of a command, its words, and the file. */
export function typed(machine: Machine, o: SendOptions, profile = profileOf(o)) {
  const { name = '', rows = [] } = o.file ?? {};
  const people = rows.map(({ phone = '', order, text }) => ({ phone, order: String(order), name: text }));
  const excluded = (o.excludeFrom ?? []).map((phone) => ({ phone, name: '' }));
  const words = [
    `--profile=${profile}`,
    ...(o.batch === undefined ? [] : ['--batch', o.batch]),
    ...(o.again ? ['--again'] : []),
    ...(o.resend ?? []).flatMap((rows) => ['--resend', rows]),
    ...(excluded.length > 0 ? ['--exclude-from', machine.write(excluded, 'excluded.csv')] : []),
    ...(o.noExcludeFrom ? ['--no-exclude-from'] : []),
    ...(o.first === undefined ? [] : ['--first', String(o.first)]),
    ...(o.atMost === undefined ? [] : ['--at-most', String(o.atMost)]),
    ...(o.per === undefined ? [] : ['--per', o.per]),
    ...Object.entries(o.where ?? {}).flatMap(([column, value]) => ['--where', `${column}=${value}`]),
  ];
  return [people, words, { file: `${name}.csv` }] as const;
}
