import { command } from '../cli/command.ts';
import type { Context } from '../cli/command.ts';
import { calling } from '../cli/globals.ts';
import { argument, flag, option, repeated } from '../cli/params.ts';
import { phone, phoneDoubt } from '../cli/values.ts';
import { usage } from '../errors.ts';

export const sendTemplate = command({
  name: 'send-template',
  summary: 'Send an approved template to one recipient',
  details: 'Through a pipe it prints the bare message_id. It makes exactly one call and never sends twice.',
  params: {
    phone: argument('[phone]', 'recipient, such as +12025550101'),
    name: argument('[template]', 'name of an approved template'),
    to: option('--to <phone>', 'the recipient, when no argument is given'),
    template: option('--template <name>', 'the template, when no argument is given'),
    params: repeated('-p, --param <value>', 'a template variable; one for each, in order'),
    allowEmpty: flag('--allow-empty', 'an empty value is meant'),
  },
  examples: [
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local',
    'send-template --to +12025550101 --template welcome --profile local -o json',
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local --dry-run',
  ],
  sample: 'msg_sandbox_73617ba99900000k',
  honours: calling,
  changes: true,
  piped: 'id',
  run: async (context, input) => {
    const byFlag = input.to !== undefined || input.template !== undefined;
    if (byFlag && input.phone !== undefined) {
      throw usage('--to and --template do not go together with arguments', 'give both as arguments or both as options');
    }
    const to = phone(input.phone ?? input.to ?? (await context.ask('Recipient', '--to', phone)));
    const template = input.name ?? input.template ?? (await context.ask('Template', '--template'));
    doubt(context, to);
    return (await context.client()).call('sendTemplate', { to, template, params: input.params });
  },
  view: (sent, ui) => `${ui.done('Sent')} ${sent.message_id}`,
});

function doubt(context: Context, to: string): void {
  const message = phoneDoubt(to);
  if (message) context.note('phone-doubt', message);
}
