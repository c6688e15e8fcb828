import { isRecord } from '../../contract/readers.ts';
import { parseJson } from '../../json.ts';

/** Watches for texts that are JSON, as a CSV has them that was exported: they would be sent as texts. */
export interface JsonTexts {
  readonly see: (body: object) => void;
  /** The fields of the body that have some, in the form in which flags name them. */
  readonly fields: () => readonly string[];
}

/** So many rows show it. */
const mostSeen = 100;

export function createJsonTexts(): JsonTexts {
  const found = new Set<string>();
  let count = 0;
  return {
    see(body) {
      if (count++ < mostSeen) for (const field of fieldsIn(body, [])) found.add(field);
    },
    fields: () => [...found],
  };
}

function fieldsIn(part: object, path: readonly string[]): readonly string[] {
  return Object.entries(part).flatMap(([name, value]) => {
    if (isRecord(value)) return fieldsIn(value, [...path, name]);
    return typeof value === 'string' && isJson(value) ? [[...path, name].join('.')] : [];
  });
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
