import { Parts, partOf } from '../parts.tsx';
import { Choices } from './limits/choices.tsx';
import { Faults } from './limits/faults.tsx';
import { Keys } from './limits/keys.tsx';
import { Usage } from './limits/usage.tsx';

const parts = { limits: 'Limits and faults', keys: 'Keys and audit log', choices: 'Choices' } as const;

/** All that decides about a request: the plan, faults and keys, and the choices of the sandbox. */
export function Limits() {
  const { part, id } = partOf(parts);
  return (
    <div class="sheet">
      <Parts screen="limits" parts={parts} />
      <div class="list" tabIndex={0} role="region" aria-label={parts[part]}>
        {part === 'limits' && (
          <>
            <Usage />
            <Faults />
          </>
        )}
        {part === 'keys' && <Keys chosen={id} />}
        {part === 'choices' && <Choices />}
      </div>
    </div>
  );
}
