import type { Signal } from '@preact/signals';
import { textParts } from '../contract/template-text.ts';
import type { OutputOf } from '../sandbox/control/operations.ts';
import { Text } from './text.tsx';

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
