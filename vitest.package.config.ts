import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const results = process.env['RESULTS'] ?? `package-${process.versions.node}`;

/** Tests the package, or the standalone binary, on the current version of Node. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/package/**/*.test.ts', 'test/binary/**/*.test.ts'],
    exclude: [],
    globalSetup: ['test/support/build.ts', 'test/package/setup.ts'],
    reporters: ['default', ['json', { outputFile: `node_modules/.vitest/${results}.json` }]],
  },
});
