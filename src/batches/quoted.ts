import { unseen } from '../base/posix-quote.ts';

// C1 controls, joiners, and the marks that reorder or hide text.
const hidden = new RegExp(String.raw`[\u007f-\u009f\u200c\u200d]|${unseen}`, 'gu');
const longest = 60;

/** Quotes outside text on one line, shortened and without characters that a terminal interprets. */
export function quoted(text: string): string {
  const safe = JSON.stringify(text.slice(0, longest * 2))
    .slice(1, -1)
    .replace(hidden, '');
  const characters = Array.from(safe);
  const isLong = characters.length > longest || text.length > longest * 2;
  return isLong ? `"${characters.slice(0, longest).join('')}…"` : `"${safe}"`;
}
