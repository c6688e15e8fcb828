import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that limit the file size of their process, so each needs a separate one. */
const limiting = ['test/base/journal.test.ts', 'test/sandbox/state/file-journal.test.ts'];

/**
 * Files whose tests take longest, in this order. They start first, also on the first run and if the tools of some were
 * installed since the last one.
 */
const longFiles = [
  'test/e2e/secrets.test.ts',
  'test/e2e/examples.test.ts',
  'test/e2e/terminal.test.ts',
  'test/e2e/people.test.ts',
  'test/team/events.test.ts',
  'test/e2e/twice/model.test.ts',
  'test/e2e/twice/questions.test.ts',
  'test/page/accessible.test.ts',
  'test/page/phones.test.ts',
  'test/e2e/docs-accounts.test.ts',
  'test/e2e/docs-bulk.test.ts',
  'test/e2e/listen.test.ts',
  'test/e2e/expect.test.ts',
  'test/page/limits.test.ts',
  'test/page/replies.test.ts',
  'test/e2e/import-terminal.test.ts',
  'test/e2e/completion-shells.test.ts',
  'test/e2e/unread-stdout.test.ts',
  'test/page/stream.test.ts',
  'test/page/timeline.test.ts',
  'test/e2e/import-changes.test.ts',
  'test/e2e/import-unread.test.ts',
  'test/e2e/power-cut.test.ts',
  'test/e2e/readme.test.ts',
];

/** Starts these files first; then the others, the longest of the last run or the largest first. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

/** Isolated files stay before all others. */
function placeOf({ project, moduleId }: TestSpecification): number {
  if (project.config.isolate) return -1;
  const place = longFiles.findIndex((file) => moduleId.endsWith(file));
  return place === -1 ? longFiles.length : place;
}

export default defineConfig({
  define: {
    __VERSION__: '"0.0.0"',
    __BUILD__: '"source"',
    __BUILD_DATE__: '"2024-01-01"',
    __ROOT_HELP__: '""',
    __PAGE__: '"../../dist/page"',
  },
  test: {
    globalSetup: 'test/support/build.ts',
    // Tests mostly wait for processes and terminals, so five workers are not too many for two cores.
    maxWorkers: Math.max(5, availableParallelism() - 1),
    // On a busy CI machine, a process may take longer than a test waits for it.
    retry: process.env['CI'] ? 1 : 0,
    // Many tests wait for processes, which are slow on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A poll gives up only before its test does.
    expect: { poll: { timeout: 50_000 } },
    sequence: { sequencer: LongFilesFirst },
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
