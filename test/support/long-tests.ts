/** True if tests with random input or repetitions try more, as in `.ci/run`. */
export const isLong = process.env['LONG_TESTS'] === '1';
