import { useSignal } from '@preact/signals';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { copies } from '../../copies.ts';
import { Copy } from '../../copy.tsx';
import { Fields } from '../../fields.tsx';
import { testNumbers } from '../../phones.ts';
import { paramsOf, Variables } from '../../variables.tsx';

/** A template as its recipient reads it, with values for its variables. */
export function TemplateDetail({ template }: { readonly template: OutputOf<'templates'>[number] }) {
  const values = useSignal<Readonly<Record<string, string>>>({});
  const { name, variables, status } = template;
  const message = () => {
    const params = paramsOf(template, values.value).map((value, at) => value || (variables[at] ?? ''));
    return { to: testNumbers[0].phone, template: name, params };
  };
  return (
    <>
      <div class="grid">
        <Variables template={template} values={values} />
      </div>
      {status === 'APPROVED' ? (
        <p>
          Copy as{' '}
          {copies.map(({ name, text }) => (
            <Copy key={name} label={name} text={() => text(message())} />
          ))}
        </p>
      ) : (
        <p class="preview">It is {status.toLowerCase()}; only an approved template can be sent.</p>
      )}
      <Fields of={{ ...template, variables: variables.join(', ') }} />
    </>
  );
}
