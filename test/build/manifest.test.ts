import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const script = new URL('../../build/manifest.mjs', import.meta.url).pathname;
const whole = '{\n "name": "a", "scripts": { "prepare": "b" },\n "devDependencies": {}, "bin": "c" }\n';

/** A clone whose manifest the script changes, and what it is after the given steps. */
function after(...steps: readonly string[]): { readonly manifest: string; readonly isKept: boolean } {
  const clone = mkdtempSync(join(tmpdir(), 'bizmsg-manifest-'));
  onTestFinished(() => rmSync(clone, { recursive: true }));
  cpSync(script, join(clone, 'build/manifest.mjs'));
  writeFileSync(join(clone, 'package.json'), whole);
  for (const step of steps) execFileSync(process.execPath, [join(clone, 'build/manifest.mjs'), step]);
  const isKept = existsSync(join(clone, 'package.json.orig'));
  return { manifest: readFileSync(join(clone, 'package.json'), 'utf8'), isKept };
}

describe('the manifest that is packed', () => {
  it('has nothing of what only a clone needs', () => {
    expect(JSON.parse(after('lean').manifest)).toEqual({ name: 'a', bin: 'c' });
  });

  it.each([
    ['after a pack', ['lean', 'whole']],
    ['after one that was killed, and the next', ['lean', 'lean', 'whole']],
    ['when nothing was packed', ['whole']],
  ])('is as it was %s', (_, steps) => {
    expect(after(...steps)).toEqual({ manifest: whole, isKept: false });
  });
});
