import * as lucide from 'lucide';
import { h } from 'preact';

const icons = {
  back: lucide.ArrowLeft,
  request: lucide.ArrowRightLeft,
  accepted: lucide.Clock,
  delivered: lucide.Check,
  read: lucide.CheckCheck,
  failed: lucide.CircleAlert,
  copy: lucide.Copy,
  more: lucide.Ellipsis,
  broadcast: lucide.Megaphone,
  plus: lucide.Plus,
  reply: lucide.Reply,
  search: lucide.Search,
  event: lucide.Zap,
} as const;

interface IconProps {
  readonly name: keyof typeof icons;
  readonly class?: string;
  /** Without one, screen readers skip it. */
  readonly label?: string;
}

/** An outline. */
export function Icon({ name, class: extra = '', label }: IconProps) {
  const shown = label === undefined ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': label };
  return (
    <svg class={`icon ${extra}`} viewBox="0 0 24 24" {...shown}>
      {icons[name].map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
