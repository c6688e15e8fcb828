import { signal } from '@preact/signals';

export interface Notice {
  readonly text: string;
  readonly kind: 'done' | 'problem';
}

export const notice = signal<Notice | undefined>(undefined);

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a short text; screen readers announce it. A problem stays until the next notice. */
export function tell(text: string, kind: Notice['kind'] = 'done'): void {
  clearTimeout(timer);
  notice.value = { text, kind };
  if (kind === 'done') timer = setTimeout(() => (notice.value = undefined), 4_000);
}
