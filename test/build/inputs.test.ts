import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { digestOf } from '../../build/inputs.mjs';

const scripts = 'build/cli.mjs build.mjs tsconfig.json package.json package-lock.json'.split(' ');
const files = ['src/main.ts', 'src/page/app.tsx', 'src/page/styles/base.css', 'src/page/tsconfig.json', ...scripts];

it.each(files)('a change of %s makes a build stale', (file) => {
  const project = mkdtempSync(join(tmpdir(), 'bizmsg-inputs-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  for (const file of files) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), '');
  }
  const before = digestOf(project);
  appendFileSync(join(project, file), ' ');
  expect(digestOf(project)).not.toBe(before);
});
