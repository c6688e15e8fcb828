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
