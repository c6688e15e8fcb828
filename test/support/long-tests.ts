/** True if tests with many combinations or repetitions run all of them, as in `.ci/run`. */
export const isLong = process.env['LONG_TESTS'] === '1';

/** All cases in the long form, every third one in the short form, which thereby keeps the breadth of a table. */
export function some<const T>(cases: readonly T[]): readonly T[] {
  return isLong ? cases : cases.filter((_, at) => at % 3 === 0);
}
