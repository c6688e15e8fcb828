/** The columns of a person in a file. */
export interface Row extends Readonly<Record<string, string>> {
  readonly phone: string;
  readonly name: string;
}

export function phoneOf(number: number): string {
  return `+1202${5_000_000 + number}`;
}

/** Persons from one number to another, both included. */
export function people(from: number, to: number, columns: (number: number) => object = () => ({})): readonly Row[] {
  const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  return numbers.map((number) => ({ phone: phoneOf(number), name: `P${number}`, ...columns(number) }));
}

/** The same people, with another text for these; without numbers, for all. */
export function corrected(rows: readonly Row[], ...numbers: readonly number[]): readonly Row[] {
  const phones = new Set(numbers.map(phoneOf));
  const isMeant = ({ phone }: Row) => numbers.length === 0 || phones.has(phone);
  return rows.map((row) => (isMeant(row) ? { ...row, name: `${row.name} corrected` } : row));
}
