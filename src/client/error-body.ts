import { isRecord } from '../contract/readers.ts';
import { parseJson } from '../json.ts';
import type { Conceal } from './conceal.ts';

export interface ErrorBody {
  /** The JSON of the answer, or the beginning of its text; undefined when it is empty. */
  readonly body: unknown;
  /** What it says to a person, if it says so in one of the usual places. */
  readonly detail: string | undefined;
}

// §7: the shape of an error's body is not shown, so every part of this is a guess that may fail.
export function readErrorBody(bytes: Buffer, conceal: Conceal): ErrorBody {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return { body: undefined, detail: undefined };
  const json = text.length > 65_536 ? undefined : parsed(text);
  if (json === undefined) return { body: excerpt(text, conceal), detail: undefined };
  const body = conceal.value(json);
  return { body, detail: detailOf(body) };
}

/** Concealed before it is cut: the half of a key is a secret too. */
function excerpt(text: string, conceal: Conceal): string {
  const safe = conceal.text(text.slice(0, 65_536));
  return safe.length > 4_096 ? `${safe.slice(0, 4_096)}…` : safe;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function detailOf(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const nested = isRecord(body['error']) ? body['error'] : {};
  const places = [body['detail'], body['message'], nested['message'], nested['detail'], body['error'], body['title']];
  return places
    .filter((text) => typeof text === 'string')
    .find((text) => text.length <= 200 && /^[^\p{Cc}]+$/u.test(text));
}
