import { useAsked } from '../asked.ts';
import { partOf, Parts } from '../parts.tsx';
import { Table } from '../table.tsx';
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

/** How the sandbox handles what the API document leaves open. */
function Choices() {
  // They never change, so any topic will do.
  const choices = useAsked('keys', 'choices').value ?? [];
  return (
    <section>
      <h2>What the API document leaves open</h2>
      <p class="preview">
        Start the sandbox with <code>--shape vary:SEED</code> to test your program against the other answers.
      </p>
      <Table
        label="Choices"
        rows={choices}
        keyOf={({ open, sections }) => open + sections.join()}
        empty="Loading"
        columns={[
          { title: 'Section', class: 'whole-word', cell: ({ sections }) => sections.join(' ') },
          { title: 'Open', cell: ({ open }) => open },
          { title: 'This sandbox', cell: ({ choice }) => choice },
          { title: 'Others', class: 'wide', cell: ({ others = [] }) => others.join('; ') },
        ]}
      />
    </section>
  );
}
