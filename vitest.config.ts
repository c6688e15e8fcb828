import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that limit the file size of their process, so each needs a separate one. */
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
  define: { __VERSION__: '"0.0.0"', __BUILD__: '"source"', __ROOT_HELP__: '""', __PAGE__: '"../../dist/page"' },
  test: {
    globalSetup: 'test/support/build.ts',
    // Tests mostly wait for processes and terminals, so four workers are not too many for two cores.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // On a busy CI machine, a process may take longer than a test waits for it.
    retry: process.env['CI'] ? 1 : 0,
    // Many tests wait for processes, which are slow on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest/results.json' }]],
    projects: [
      {
        extends: true,
        test: { name: 'isolated', include: limiting },
      },
      {
        extends: true,
        // Loading all modules for each file would take longer than most of these tests.
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/package/**', ...limiting],
        },
      },
    ],
  },
});
