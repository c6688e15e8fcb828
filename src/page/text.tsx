import type { Signal } from '@preact/signals';
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
  return parts.map((part, at) => (at % 2 === 0 ? part : <span class="is-bad">{escaped(part)}</span>));
}

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\u${unit}`).join('');
}

/** A text from outside, with its variables marked. */
export function Text({ parts }: { readonly parts: readonly TextPart[] }) {
  return (
    <div class="text" dir="auto">
      {parts.map(({ text, variable }) =>
        variable === undefined ? (
          marked(text)
        ) : (
          <mark title={variable} dir="auto">
            {marked(text)}
          </mark>
        ),
      )}
    </div>
  );
}

/** A text from outside on one line, whatever it contains. */
export function Line({ children }: { readonly children: string }) {
  return <bdi>{marked(children.slice(0, 200))}</bdi>;
}

const token = /("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\b(?:true|false|null)\b)/;

/** A value as JSON, in colors. */
export function Json({ value }: { readonly value: unknown }) {
  const parts = JSON.stringify(value, null, 2).split(token);
  const kindOf = (part: string, next = '') =>
    part.startsWith('"') ? (next.startsWith(':') ? 'key' : 'is-good') : 'is-wait';
  return (
    <pre class="json">
      {parts.map((part, at) => (at % 2 === 0 ? part : <span class={kindOf(part, parts[at + 1])}>{marked(part)}</span>))}
    </pre>
  );
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
  const params = variables.map((variable) => values.value[variable] || `{{${variable}}}`);
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
        <Text parts={textParts(body, variables, params)} />
      </div>
    </>
  );
}
