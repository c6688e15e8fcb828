// Prints each failed test with its message, then the total counts, in which a failed step counts as a failure.
import { readFileSync } from 'node:fs';

const [, , failures, ...files] = process.argv;
const counts = { passed: 0, failed: Number(failures), skipped: 0 };
for (const file of files) {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, testResults = [] } = read(file);
  // A run without tests has failed.
  const missing = numPassedTests + numFailedTests + numPendingTests === 0 ? 1 : 0;
  counts.passed += numPassedTests;
  counts.failed += numFailedTests + missing;
  counts.skipped += numPendingTests;
  for (const { name, status, message, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of failed) print(`${name}: ${fullName}`, failureMessages.join('\n'));
    // The file could not be loaded, or its process ended.
    if (status === 'failed' && failed.length === 0) print(name, message);
  }
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);

function print(title, text = '') {
  console.log(`failed: ${title}\n${text.split('\n').slice(0, 12).join('\n')}\n`);
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
