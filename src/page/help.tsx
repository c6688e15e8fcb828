import { signal } from '@preact/signals';
import { Dialog } from './dialog.tsx';
import { screens } from './screens.ts';
import { hasKeys } from './settings.ts';

export const isHelpOpen = signal(false);

const keys = [
  ...screens.map(({ key, title, more }) => [`g ${key}`, title + more]),
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Back'],
  ['/', 'Search'],
  ['r', 'Reply as the customer'],
  ['n', 'New message'],
  ['?', 'These keys'],
] as const;

export function Help() {
  return (
    <Dialog title="Keys" isOpen={isHelpOpen}>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={hasKeys.value}
          onChange={({ currentTarget }) => (hasKeys.value = currentTarget.checked)}
        />{' '}
        Single letters are shortcuts
      </label>
    </Dialog>
  );
}
