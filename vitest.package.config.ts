import { defineConfig } from 'vitest/config';
import everyday from './vitest.config.ts';

/** What is packed, and whatever else is asked for, on the Node that runs this. */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    projects: undefined,
    include: ['test/**/*.test.ts'],
    exclude: [],
    globalSetup: ['test/support/build.ts', 'test/package/setup.ts'],
    reporters: ['default', ['json', { outputFile: `node_modules/.vitest/package-${process.versions.node}.json` }]],
  },
});
