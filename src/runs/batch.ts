import { existsSync } from 'node:fs';
import {
  checkMessageMapping,
  createMessageMapping,
  type MessageMappingOptions,
  phoneColumnIn,
} from './mapping/message.ts';
import type { Context } from '../cli/command.ts';
import { endpoints } from '../contract/endpoints.ts';
import { usage } from '../base/errors.ts';
import { messageRow } from '../ledger/identity.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { listedPhones, watchOptOuts } from './phone-lists.ts';
import type { Hours } from './hours.ts';
import type { Action } from './action.ts';

export interface BatchOptions extends MessageMappingOptions {
  /** Columns that tell several messages for one recipient apart. */
  readonly per: readonly string[];
  /** Files of phones that are never messaged. */
  readonly excludeFrom: readonly string[];
  /** The one of them that may change while the run works. */
  readonly optOut?: string | undefined;
  /** The encoding of the input. */
  readonly encoding?: string | undefined;
  readonly hours?: Hours | undefined;
  /** See `Action`. */
  readonly origin?: string | undefined;
}

export function batchAction(context: Context, options: BatchOptions): Action {
  const { template, params, map: maps = [], country, encoding, excludeFrom, optOut, hours, origin } = options;
  const perColumns = [...new Set(options.per)].toSorted();
  checkMessageMapping(options);
  const [named] = maps;
  return {
    command: 'send-batch',
    kind: 'message',
    endpoint: 'sendTemplate',
    template,
    perColumns,
    usedColumns: [named?.from ?? [], ...params.map((param) => ('column' in param ? param.column : []))].flat(),
    hours,
    origin,
    async mapper(source) {
      const map = await createMessageMapping({ ...options, perColumns }, source);
      const column = source.fields ? phoneColumnIn(source.fields, named?.from) : named?.from;
      const reading = { country, encoding, column };
      const optsOut = optOut === undefined ? undefined : watchOptOuts(context, optOut, reading);
      const isListed = await listedPhones(context, excludeFrom, reading);
      let excludedRows = 0;
      return {
        map: ({ fields }) => map(fields),
        end() {
          if (excludeFrom.length > 0 && excludedRows === 0)
            context.note('excluded', `no recipient is in ${excludeFrom.join(', ')}`);
        },
        isExcluded({ body }) {
          const isExcluded = excludeFrom.length > 0 && isListed(endpoints.sendTemplate.body(body).to);
          if (isExcluded) excludedRows += 1;
          return isExcluded;
        },
        isExcludedNow: optsOut && ((content) => optsOut(endpoints.sendTemplate.body(JSON.parse(content)).to)),
      };
    },
    digest: ({ body, per }, secret) => messageRow(secret, { ...endpoints.sendTemplate.body(body), per }),
    params: params.length,
  };
}

/** A template is unlikely to have the name of an existing file. */
export function refuseSwapped(template: string, file: string): void {
  if (file === '-' || existsSync(file) || !existsSync(template)) return;
  const right = `bizmsg send-batch ${shellQuote(file)} ${shellQuote(template)}`;
  throw usage(`"${file}" is not a file, and "${template}" is one`, `the template comes first, then the file: ${right}`);
}
