/** True if tests with many combinations or repetitions run all of them, as in `.ci/run`. */
export const isLong = process.env['LONG_TESTS'] === '1';
