import { usage } from '../base/errors.ts';
import { createRandom, seedNumber } from './random.ts';

/** What an answer may look like where the document does not show it. The first of each is the sandbox's own choice. */
export const alternatives = {
  list: ['data', 'array', 'named', 'result.page.items', 'response.records'],
  paging: ['link and cursor', 'link', 'cursor', 'none', 'empty last page'],
  fields: ['own', 'minimal', 'other', 'camel'],
  letters: ['upper', 'lower'],
  sent: ['only the id', 'extra fields', 'nulls'],
  created: ['record', 'wrapped', 'empty object', 'nothing'],
  createdStatus: [201, 200],
  error: ['problem', 'message', 'nested', 'nothing', 'html'],
  rate: ['draft', 'none', 'seconds', 'date'],
  scopeRefusal: [403, 401],
  monthUsedUp: [429, 403, 'accepted'],
  payload: ['type', 'event', 'extra fields'],
} as const;

export type Shape = { readonly [K in keyof typeof alternatives]: (typeof alternatives)[K][number] };

export const defaultShape: Shape = drawn((options) => options[0]);

const bareShape: Shape = {
  ...defaultShape,
  list: 'array',
  paging: 'link',
  fields: 'minimal',
  error: 'message',
  rate: 'none',
  payload: 'event',
};

/** `default`, `bare`, or `vary:SEED`, which draws every alternative from the seed. */
export function shapeNamed(name: string): Shape {
  if (name === 'default') return defaultShape;
  if (name === 'bare') return bareShape;
  const seed = /^vary:(.+)$/.exec(name)?.[1];
  if (seed === undefined)
    throw usage(`"${name}" is not a shape`, 'use default, bare, or vary:SEED with any text as seed');
  const random = createRandom(seedNumber(seed));
  return drawn((options) => options[Math.floor(random() * options.length)] ?? options[0]);
}

type Pick = <Options extends readonly [unknown, ...unknown[]]>(options: Options) => Options[number];

function drawn(pick: Pick): Shape {
  return {
    list: pick(alternatives.list),
    paging: pick(alternatives.paging),
    fields: pick(alternatives.fields),
    letters: pick(alternatives.letters),
    sent: pick(alternatives.sent),
    created: pick(alternatives.created),
    createdStatus: pick(alternatives.createdStatus),
    error: pick(alternatives.error),
    rate: pick(alternatives.rate),
    scopeRefusal: pick(alternatives.scopeRefusal),
    monthUsedUp: pick(alternatives.monthUsedUp),
    payload: pick(alternatives.payload),
  };
}
