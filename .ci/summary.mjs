// Prints the closing line: the tests' counts of all runs, and every failed step as one failure more.
import { readFileSync } from 'node:fs';

const [, , failures, ...files] = process.argv;
const counts = { passed: 0, failed: Number(failures), skipped: 0 };
for (const file of files) {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = read(file);
  // A run that ran nothing has failed.
  const missing = numPassedTests + numFailedTests + numPendingTests === 0 ? 1 : 0;
  counts.passed += numPassedTests;
  counts.failed += numFailedTests + missing;
  counts.skipped += numPendingTests;
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
