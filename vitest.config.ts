import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts the tests of whole processes, browsers and servers first, which take longest; then the largest files. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return /\/test\/(?:e2e|page|team)\//.test(moduleId);
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
    include: ['test/**/*.test.ts'],
    exclude: ['test/package/**', 'test/binary/**'],
    // Loading all modules for each file would take longer than most of these tests.
    isolate: false,
  },
});
