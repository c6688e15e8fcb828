import { flag, type Input, knowing, option, repeated } from '../../cli/params.ts';
import { count, phone, setting } from '../../cli/values.ts';
import { usage } from '../../base/errors.ts';

/** What is said of the comparison with the document. */
export const contractParams = {
  contract: flag('--contract', "compare the service with the API's document, clause by clause"),
  allowWrites: option(
    '--allow-writes <n>',
    'with --contract: at most n real writes, a message and a contact (0)',
    count,
  ),
  to: option('--to <phone>', 'who gets that message, and the phone of that contact', phone),
  template: knowing(
    { of: 'templates' },
    option('--template <name>', 'the approved template of that message; without it none is sent'),
  ),
  params: repeated('-p, --param <value>', "the value of the template's next variable"),
  set: repeated('--set <key=value>', 'a field of that contact, as text (phone)', setting),
} as const;

export type ContractInput = Input<typeof contractParams>;

export function checkContract({ contract, allowWrites, to, template, params, set }: ContractInput): void {
  const written = [
    ['--to', to !== undefined],
    ['--template', template !== undefined],
    ['--param', params.length > 0],
    ['--set', set.length > 0],
  ] as const;
  const first = written.find(([, isGiven]) => isGiven)?.[0];
  if (!contract && (first !== undefined || allowWrites !== undefined)) {
    throw usage(`${first ?? '--allow-writes'} is about the comparison with the document`, 'add --contract');
  }
  if (first !== undefined && !allowWrites) {
    throw usage(`${first} is about what is written, and nothing may be`, 'add --allow-writes 1, or 2');
  }
  if (allowWrites && to === undefined) throw usage('--allow-writes needs a number to write to', 'add --to <phone>');
}
