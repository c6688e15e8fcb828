import { useSignal } from '@preact/signals';
import type { TextPart } from '../contract/template-text.ts';

/** Characters shown of a long text. */
const shownFirst = 2_000;

/** A text from outside, with its variables marked. Only its beginning if it is long. */
export function Text({ parts }: { readonly parts: readonly TextPart[] }) {
  const isWhole = useSignal(false);
  const length = parts.reduce((sum, { text }) => sum + text.length, 0);
  const isCut = length > shownFirst && !isWhole.value;
  return (
    <>
      <span class="text" dir="auto">
        {(isCut ? beginning(parts) : parts).map(({ text, variable }, at) =>
          variable === undefined ? (
            text
          ) : (
            <mark key={at} title={variable} dir="auto">
              {text}
            </mark>
          ),
        )}
        {isCut && '…'}
      </span>
      {isCut && (
        <button type="button" class="quiet" onClick={() => (isWhole.value = true)}>
          Show all {length.toLocaleString('en')} characters
        </button>
      )}
    </>
  );
}

function beginning(parts: readonly TextPart[]): readonly TextPart[] {
  let rest = shownFirst;
  return parts.flatMap((part) => {
    const text = part.text.slice(0, Math.max(0, rest));
    rest -= part.text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}
