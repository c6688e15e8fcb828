// Without i, l, o and u, which are mistaken for others.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const epoch = Date.UTC(2025, 0, 1);
/** Ids of one millisecond. */
const steps = 32;
const digits = 9;

/** Ids that sort by time, and that no listener with another number makes. */
export function createIds(listener: number, now: () => number): () => string {
  let last = 0;
  return () => {
    last = Math.max(last + 1, (now() - epoch) * steps);
    return `e${written(last).padStart(digits, '0')}${written(listener)}`;
  };
}

function written(number: number): string {
  const digit = alphabet.charAt(number % alphabet.length);
  return number < alphabet.length ? digit : written(Math.floor(number / alphabet.length)) + digit;
}
