import {
  ArrowLeft,
  Check,
  CheckCheck,
  ChevronRight,
  CircleAlert,
  Copy,
  Inbox,
  Keyboard,
  MessageSquarePlus,
  Moon,
  Search,
  Send,
  Sun,
  SunMoon,
  X,
} from 'lucide';
import { h } from 'preact';

const icons = {
  back: ArrowLeft,
  sent: Check,
  delivered: CheckCheck,
  read: CheckCheck,
  failed: CircleAlert,
  open: ChevronRight,
  copy: Copy,
  inbox: Inbox,
  keys: Keyboard,
  new: MessageSquarePlus,
  search: Search,
  send: Send,
  system: SunMoon,
  light: Sun,
  dark: Moon,
  close: X,
} as const;

export type IconName = keyof typeof icons;

/** An outline beside a text, or on a button with a label: screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {icons[name].map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
