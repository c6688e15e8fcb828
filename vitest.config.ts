import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** They change the file size limit of their own process, so each gets a process of its own. */
const limiting = [
  'test/session/activity/entry.test.ts',
  'test/commands/webhooks-replay.test.ts',
  'test/base/journal.test.ts',
  'test/ledger/damage.test.ts',
  'test/runs/engine.test.ts',
  'test/runs/waits.test.ts',
  'test/sandbox/state/file-journal.test.ts',
  'test/webhooks/crash.test.ts',
  'test/webhooks/event-journal.test.ts',
];

export default defineConfig({
  define: { __VERSION__: '"0.0.0"', __BUILD__: '"source"', __ROOT_HELP__: '""' },
  test: {
    globalSetup: 'test/support/build.ts',
    // Much of the time a test waits for a process or a terminal: one more than two cores have room for is not idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Where other builds run on the same machine, a process may take longer than a test waits for it.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest/results.json' }]],
    projects: [
      {
        extends: true,
        // They wait for processes, which a busy machine makes slow.
        test: { name: 'apart', testTimeout: 60_000, include: ['test/e2e/**/*.test.ts', ...limiting] },
      },
      {
        extends: true,
        // Loading everything again for each file takes longer than most of these tests.
        test: {
          name: 'together',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/package/**', 'test/e2e/**', ...limiting],
        },
      },
    ],
  },
});
