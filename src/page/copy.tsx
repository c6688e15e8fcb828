import { tell } from './notice.ts';

interface CopyProps {
  readonly text: string | (() => string | Promise<string>);
  readonly label: string;
  readonly title?: string;
}

/** A button that copies a text. */
export function Copy({ text, label, title }: CopyProps) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      tell('Copied');
    } catch (error) {
      tell(`cannot copy: ${error instanceof Error ? error.message : ''}`, 'problem');
    }
  };
  return (
    <button type="button" class="quiet" title={title} onClick={() => void copy()}>
      {label}
    </button>
  );
}
