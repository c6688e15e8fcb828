/** Whether tests that combine or repeat much take their long form, as `.ci/run` does. */
export const isLong = process.env['LONG_TESTS'] === '1';
