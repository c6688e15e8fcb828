/** The initials of a contact in a circle, in a color that stays the same for the number. */
export function Avatar({ phone, name }: { readonly phone: string; readonly name: string }) {
  const [first, ...others] = name.match(/(?<=^|\s)\p{L}/gu) ?? [];
  const initials = [first, others.at(-1)].join('').toUpperCase();
  return (
    <span class={`avatar hue-${hueOf(phone)}`} aria-hidden="true">
      {initials === '' ? phone.slice(-2) : initials}
    </span>
  );
}

const hues = 6;

function hueOf(phone: string): number {
  let sum = 0;
  for (const digit of phone) sum = (sum * 7 + (digit.codePointAt(0) ?? 0)) % 997;
  return sum % hues;
}
