import { createContactMapping } from '../../bulk/mapping/contact.ts';
import { checkContactMapping, mappingText } from '../../bulk/mapping/contact-options.ts';
import type { ContactMappingOptions } from '../../bulk/mapping/contact-options.ts';
import { createNamedInputs } from '../../bulk/mapping/named-inputs.ts';
import type { Job } from './job.ts';

export function importJob(options: ContactMappingOptions): Job {
  checkContactMapping(options);
  return {
    kind: 'import',
    endpoint: 'createContact',
    mapping: mappingText(options),
    async mapper(source) {
      const map = await createContactMapping(options, source);
      if (source.fields) return () => ({ map: ({ fields }) => map(fields) });
      return () => {
        const named = createNamedInputs(options);
        return {
          map({ fields }) {
            named.see(fields);
            return map(fields);
          },
          end: named.refuseUnseen,
        };
      };
    },
  };
}
