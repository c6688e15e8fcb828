import { useAsked } from '../../asked.ts';
import { Table } from '../../table.tsx';

/** How the sandbox handles what the API document leaves open. */
export function Choices() {
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
