import {
  ArrowLeft,
  ArrowRightLeft,
  Check,
  CheckCheck,
  CircleAlert,
  Clock,
  Copy,
  Ellipsis,
  Megaphone,
  Plus,
  Reply,
  Search,
  Zap,
} from 'lucide';
import { h } from 'preact';

const icons = {
  back: ArrowLeft,
  request: ArrowRightLeft,
  accepted: Clock,
  delivered: Check,
  read: CheckCheck,
  failed: CircleAlert,
  copy: Copy,
  more: Ellipsis,
  broadcast: Megaphone,
  plus: Plus,
  reply: Reply,
  search: Search,
  event: Zap,
} as const;

export type IconName = keyof typeof icons;

interface IconProps {
  readonly name: IconName;
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
