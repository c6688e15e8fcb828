import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { unseen } from '../base/posix-quote.ts';
import { type TextPart, textParts } from '../contract/template-text.ts';
import type { OutputOf } from '../sandbox/control/operations.ts';

/** Control characters, and others that a browser hides or that reorder a text, except line feeds and tabs. */
const hidden = new RegExp(String.raw`((?:[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|${unseen})+)`, 'u');

/** A text from outside; hidden characters are shown as in JSON. */
export function marked(text: string): ComponentChildren {
  const parts = text.split(hidden);
  if (parts.length === 1) return text;
  return parts.map((part, at) => (at % 2 === 0 ? part : <span class="hidden-character">{escaped(part)}</span>));
}

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\u${unit}`).join('');
}

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
            marked(text)
          ) : (
            <mark key={at} title={variable} dir="auto">
              {marked(text)}
            </mark>
          ),
        )}
        {isCut && '…'}
      </span>
      {isCut && (
        <button onClick={() => (isWhole.value = true)}>Show all {length.toLocaleString('en')} characters</button>
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

/** A text from outside on one line, whatever it contains. */
export function Line({ children }: { readonly children: string }) {
  return <bdi>{marked(children.slice(0, 200))}</bdi>;
}

type Template = Pick<OutputOf<'templates'>[number], 'body' | 'variables'>;
type Values = Readonly<Record<string, string>>;

interface VariablesProps {
  readonly template: Template;
  readonly values: Signal<Values>;
  /** Whether a form with an empty field cannot be submitted. */
  readonly isRequired?: boolean;
}

/** A field for each variable of a template, and its text with these values. */
export function Variables({ template: { body, variables }, values, isRequired }: VariablesProps) {
  return (
    <>
      {variables.map((variable) => (
        <label key={variable}>
          {variable}
          <input
            dir="auto"
            required={isRequired}
            value={values.value[variable] ?? ''}
            onInput={({ currentTarget }) => (values.value = { ...values.value, [variable]: currentTarget.value })}
          />
        </label>
      ))}
      <div class="bubble" role="group" aria-label="Preview">
        <Text
          parts={textParts(
            body,
            variables,
            variables.map((variable) => values.value[variable] || `{{${variable}}}`),
          )}
        />
      </div>
    </>
  );
}

export function paramsOf({ variables }: Template, values: Values): readonly string[] {
  return variables.map((variable) => values[variable] ?? '');
}
