import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { __VERSION__: '"0.0.0"', __BUILD__: '"source"', __ROOT_HELP__: '""' },
  test: {
    globalSetup: 'test/support/build.ts',
    include: ['test/**/*.test.ts'],
    exclude: ['test/package/**'],
    // Much of the time a test waits for a process or a terminal: one more than two cores have room for is not idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest/results.json' }]],
  },
});
