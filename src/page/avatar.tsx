const hues = [20, 75, 150, 205, 265, 330];

/** The initials of a contact in a circle, in a color that stays the same for the number. */
export function Avatar({ phone, name }: { readonly phone: string; readonly name: string }) {
  const [first, ...others] = name.match(/(?<=^|\s)\p{L}/gu) ?? [];
  const initials = [first, others.at(-1)].join('').toUpperCase();
  return (
    <span class="avatar" style={{ '--hue': String(hues[Number(phone) % hues.length]) }} aria-hidden="true">
      {initials === '' ? phone.slice(-2) : initials}
    </span>
  );
}
