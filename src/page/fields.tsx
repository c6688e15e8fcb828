import { Text } from './text.tsx';

/** The fields of a record, as the API names them. */
export function Fields({ of }: { readonly of: object }) {
  return (
    <dl class="fields">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Text parts={[{ text: typeof value === 'string' ? value : JSON.stringify(value, null, 1) }]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
