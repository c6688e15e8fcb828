import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { Copy } from '../../copy.tsx';
import { Fields } from '../../fields.tsx';
import { linkTo } from '../../route.ts';

export function ContactDetail({ contact }: { readonly contact: OutputOf<'contacts'>[number] }) {
  const { phone } = contact;
  return (
    <>
      <p>
        <a href={linkTo('phones', phone)}>Messages of {phone}</a> <Copy label="Copy number" text={phone} />
      </p>
      <Fields of={contact} />
    </>
  );
}
