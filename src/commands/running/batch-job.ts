import { existsSync } from 'node:fs';
import { checkMessageMapping, createMessageMapping, messageMappingText } from '../../bulk/mapping/message.ts';
import type { MessageMappingOptions } from '../../bulk/mapping/message.ts';
import { createSeen } from '../../bulk/mapping/seen.ts';
import { allowing, heldMark } from '../../bulk/rows/error-field.ts';
import { placeOf, unitOf } from '../../bulk/rows/place.ts';
import type { Source } from '../../bulk/rows/source.ts';
import type { Context } from '../../cli/command.ts';
import { usage } from '../../errors.ts';
import { shellWord } from '../../shell-word.ts';
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
      return () => (allowSameRecipient ? { map: ({ fields }) => map(fields) } : onceEach(map, source));
    },
    forebode: (client) => sayMismatch(context, client, options),
  };
}

/** A template is hardly called like a file that is there. */
export function refuseSwapped(template: string, file: string): void {
  if (file === '-' || existsSync(file) || !existsSync(template)) return;
  const right = `bizmsg send-batch ${shellWord(file)} ${shellWord(template)}`;
  throw usage(`"${file}" is not a file, and "${template}" is one`, `the template comes first, then the file: ${right}`);
}

/** Nobody gets two messages by a file that lists them twice. */
function onceEach(map: Awaited<ReturnType<typeof createMessageMapping>>, source: Source): Mapper {
  const seen = createSeen();
  return {
    map(row) {
      const { fields, held } = row;
      if (held !== undefined) return { reason: held };
      const mapped = map(fields);
      if ('reason' in mapped || !('to' in mapped.body)) return mapped;
      const before = seen.add(String(mapped.body.to), placeOf(row, source));
      return before === undefined
        ? mapped
        : { reason: `${heldMark}${unitOf(source)} ${before}; if it is meant, ${allowing}` };
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
          `the template "${template}" has ${variables.length} ${variables.length === 1 ? 'variable' : 'variables'}, and each row gives ${params.length} ${params.length === 1 ? 'param' : 'params'}`,
        );
      return;
    }
  });
}
