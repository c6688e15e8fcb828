import { checkMessageMapping, createMessageMapping, messageMappingText } from '../../bulk/mapping/message.ts';
import type { MessageMappingOptions } from '../../bulk/mapping/message.ts';
import { createSeen } from '../../bulk/mapping/seen.ts';
import { heldMark } from '../../bulk/rows/error-field.ts';
import type { Context } from '../../cli/command.ts';
import type { RunClient } from '../../cli/run-client.ts';
import { findRows } from '../../terminal/rows.ts';
import { recordPages } from '../listing.ts';
import type { Job, Mapper } from './job.ts';

export interface BatchOptions extends MessageMappingOptions {
  readonly allowSameRecipient: boolean;
}

export function batchJob(context: Context, options: BatchOptions): Job {
  const { template, allowSameRecipient } = options;
  checkMessageMapping(options);
  return {
    kind: 'batch',
    endpoint: 'sendTemplate',
    template,
    mapping: `${messageMappingText(options)}${allowSameRecipient ? ' same' : ''}`,
    async mapper(source) {
      const map = await createMessageMapping(options, source);
      return () => (allowSameRecipient ? { map: ({ fields }) => map(fields) } : onceEach(map));
    },
    forebode: (client) => sayMismatch(context, client, options),
  };
}

/** Nobody gets two messages by a file that lists them twice. */
function onceEach(map: Awaited<ReturnType<typeof createMessageMapping>>): Mapper {
  const seen = createSeen();
  return {
    map({ fields, number, held }) {
      if (held !== undefined) return { reason: held };
      const mapped = map(fields);
      if ('reason' in mapped || !('to' in mapped.body)) return mapped;
      const before = seen.add(String(mapped.body.to), number);
      return before === undefined
        ? mapped
        : { reason: `${heldMark}${before}; --allow-same-recipient says that it is meant` };
    },
  };
}

/** As far as the account's templates tell how many variables this one has: the document shows none of their fields. */
async function sayMismatch(context: Context, client: RunClient, { template, params }: BatchOptions): Promise<void> {
  await client.glance(async (pages) => {
    for await (const page of recordPages(pages, context, 'listTemplates', [])) {
      const rows = 'whole' in page ? (findRows(page.whole) ?? []) : page.rows;
      const variables = rows.find(({ name }) => name === template)?.['variables'];
      if (!Array.isArray(variables)) continue;
      if (variables.length !== params.length)
        context.note(
          'params',
          `the template "${template}" has ${variables.length} variables, and each row gives ${params.length} params`,
        );
      return;
    }
  });
}
