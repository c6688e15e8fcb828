import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that limit the file size of their process, so each needs a separate one. */
const limiting = ['test/base/journal.test.ts', 'test/sandbox/state/file-journal.test.ts'];

/** Starts the tests of whole processes, browsers and servers first, which take longest; then the largest files. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

/** Isolated files stay before all others. */
function placeOf({ project, moduleId }: TestSpecification): number {
  if (project.config.isolate) return 0;
  return /\/test\/(?:e2e|page)\//.test(moduleId) ? 1 : 2;
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
          exclude: ['test/package/**', 'test/binary/**', ...limiting],
        },
      },
    ],
  },
});
