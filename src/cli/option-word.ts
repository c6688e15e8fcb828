import type { Param, Params } from './params.ts';

/** What a word of the command line says, if it is an option. */
interface OptionWord {
  readonly name: string;
  readonly param: Param<unknown> | undefined;
  readonly inline: string | undefined;
}

export function optionAt(word: string, params: Params): OptionWord {
  const [, long, inline] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined) return { name: long, param: find(long, params), inline };
  if (!/^-[A-Za-z]/.test(word)) return { name: word, param: undefined, inline: undefined };
  const name = word.slice(0, 2);
  const param = find(name, params);
  // -iX POST is -i -X POST
  if (param?.kind === 'flag' && word.length > 2) return optionAt(`-${word.slice(2)}`, params);
  return { name, param, inline: word.length > 2 ? word.slice(2) : undefined };
}

function find(name: string, params: Params): Param<unknown> | undefined {
  const isNamed = ({ kind }: Param<unknown>) => kind === 'option' || kind === 'flag';
  return Object.values(params).find((param) => isNamed(param) && param.spec.split(/[ ,]+/).includes(name));
}
