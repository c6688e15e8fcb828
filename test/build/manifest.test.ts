import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const script = fileURLToPath(new URL('../../build/manifest.mjs', import.meta.url));
const whole = '{\n "name": "a", "scripts": { "prepare": "b" },\n "devDependencies": {}, "bin": "c" }\n';

/** Runs the steps on a copy of the script and its manifest; returns the manifest. */
function after(...steps: readonly string[]): { readonly manifest: string; readonly isKept: boolean } {
  const clone = mkdtempSync(join(tmpdir(), 'bizmsg-manifest-'));
  onTestFinished(() => rmSync(clone, { recursive: true }));
  cpSync(script, join(clone, 'build/manifest.mjs'));
  writeFileSync(join(clone, 'package.json'), whole);
  for (const step of steps) execFileSync(process.execPath, [join(clone, 'build/manifest.mjs'), step]);
  const isKept = existsSync(join(clone, 'package.json.orig'));
  return { manifest: readFileSync(join(clone, 'package.json'), 'utf8'), isKept };
}

describe('the packed manifest', () => {
  it('has no scripts and no devDependencies', () => {
    expect(JSON.parse(after('lean').manifest)).toEqual({ name: 'a', bin: 'c' });
  });

  it.each([
    ['after a pack', ['lean', 'whole']],
    ['after a killed pack and a complete one', ['lean', 'lean', 'whole']],
    ['without a pack', ['whole']],
  ])('is restored %s', (_, steps) => {
    expect(after(...steps)).toEqual({ manifest: whole, isKept: false });
  });
});
