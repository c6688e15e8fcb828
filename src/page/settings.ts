import { effect, signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem('bizmsg-theme')) ?? 'system');

/** Whether single letters are shortcuts. */
export const hasKeys = signal(localStorage.getItem('bizmsg-keys') !== 'off');

export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    localStorage.setItem('bizmsg-theme', theme.value);
  });
  effect(() => localStorage.setItem('bizmsg-keys', hasKeys.value ? 'on' : 'off'));
}
