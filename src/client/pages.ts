import type { Reader } from '../contract/readers.ts';
import { CliError } from '../errors.ts';
import type { Base } from './address.ts';
import { readAnswer } from './answer.ts';
import type { Line } from './exchange.ts';
import { exchange } from './exchange.ts';
import type { NextPage } from './next-page.ts';
import { nextPage } from './next-page.ts';
import type { WireRequest } from './transport.ts';
import { header } from './transport.ts';

export interface Page {
  readonly answer: unknown;
  /** Whether the answer points to a further page. */
  readonly more: boolean;
}

interface Book {
  readonly base: Base;
  readonly request: WireRequest;
  readonly reader: Reader<unknown>;
}

/** Follows what each answer itself points to, until nothing new comes. */
export async function* readPages(line: Line, { base, request, reader }: Book): AsyncGenerator<Page, void> {
  const seen = new Set<string>();
  let asked = request;
  let previous: Buffer | undefined;
  for (;;) {
    const { answer, url } = await exchange(line, asked);
    seen.add(asked.url).add(url);
    const value = readAnswer(line, asked, { answer, reader });
    const next = nextPage({ base, url, link: header(answer.headers, 'link'), answer: value });
    const over = next.kind === 'end' || seen.has(next.url);
    // A service that knows nothing of the cursor gives the same page again.
    if (over && previous?.equals(answer.body)) return;
    yield { answer: value, more: !over };
    if (over) return;
    asked = { ...request, url: addressOf(next, line) };
    previous = answer.body;
  }
}

function addressOf(next: Exclude<NextPage, { kind: 'end' }>, { conceal }: Line): string {
  if (next.kind === 'next') return next.url;
  throw new CliError('unsafe', 'foreign-link', `the next page is said to be at "${conceal.text(next.url)}"`, {
    hint: 'that is not the address of this service, and the key goes nowhere else',
  });
}
