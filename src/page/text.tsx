import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { unseen } from '../base/posix-quote.ts';
import { renderedText } from '../contract/template-text.ts';
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
  return text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A text from outside. */
export function Text({ children }: { readonly children: string }) {
  return (
    <div class="text" dir="auto">
      {marked(children)}
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
    part.startsWith('"') ? (next.startsWith(':') ? 'is-plain' : 'is-good') : 'is-wait';
  return (
    <pre class="json" tabIndex={0}>
      {parts.map((part, at) => (at % 2 === 0 ? part : <span class={kindOf(part, parts[at + 1])}>{marked(part)}</span>))}
    </pre>
  );
}

export type Template = OutputOf<'templates'>[number];

interface VariablesProps {
  readonly template: Template;
  readonly values: Signal<Readonly<Record<string, string>>>;
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
        <Text>{renderedText(body, variables, params)}</Text>
      </div>
    </>
  );
}
