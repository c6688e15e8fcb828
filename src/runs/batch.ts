import { existsSync } from 'node:fs';
import { checkMessageMapping, createMessageMapping, type MessageMappingOptions } from './mapping/message.ts';
import type { Context } from '../cli/command.ts';
import { endpoints } from '../contract/endpoints.ts';
import { usage } from '../base/errors.ts';
import { messageRow } from '../ledger/identity.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { RunClient } from '../session/run-client.ts';
import { findRows } from '../cli/output/rows.ts';
import { recordPages } from '../cli/record-pages.ts';
import type { Job } from './job.ts';

export interface BatchOptions extends MessageMappingOptions {
  readonly allowSameRecipient: boolean;
}

export function batchJob(context: Context, options: BatchOptions): Job {
  const { template, allowSameRecipient } = options;
  checkMessageMapping(options);
  return {
    command: 'send-batch',
    kind: 'message',
    endpoint: 'sendTemplate',
    template,
    allowsSameRecipient: allowSameRecipient,
    async mapper(source) {
      const map = await createMessageMapping(options, source);
      const held = (row: { readonly held?: string }) => (allowSameRecipient ? undefined : row.held);
      return {
        map(row) {
          const reason = held(row);
          return reason === undefined ? map(row.fields) : { reason };
        },
      };
    },
    digest: (body, { secret, mode }) => messageRow(secret, { mode, ...endpoints.sendTemplate.body(body) }),
    check: (client) => mismatch(context, client, options),
  };
}

/** A template is hardly called like a file that is there. */
export function refuseSwapped(template: string, file: string): void {
  if (file === '-' || existsSync(file) || !existsSync(template)) return;
  const right = `bizmsg send-batch ${shellQuote(file)} ${shellQuote(template)}`;
  throw usage(`"${file}" is not a file, and "${template}" is one`, `the template comes first, then the file: ${right}`);
}

/** The document shows no field of a template, so only a list of variables is relied on. */
async function mismatch(
  context: Context,
  client: RunClient,
  { template, params }: BatchOptions,
): Promise<string | undefined> {
  let warning: string | undefined;
  await client.tryLookup(async (pages) => {
    for await (const page of recordPages(pages, context, 'listTemplates', [])) {
      const rows = 'whole' in page ? (findRows(page.whole) ?? []) : page.rows;
      const variables = rows.find(({ name }) => name === template)?.['variables'];
      if (!Array.isArray(variables)) continue;
      if (variables.length !== params.length)
        warning = `the template "${template}" has ${counted(variables.length, 'variable')}, and each row gives ${counted(params.length, 'param')}`;
      return;
    }
  });
  return warning;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
