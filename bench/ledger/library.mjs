// Loads the ledger from its source, into this process.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { newPath } from '../rig/processes.mjs';

const source = new URL('../../src/ledger/', import.meta.url).pathname;
const subject = {
  account: { id: 'profile:bench', origin: 'https://api.example.com', isKeyDigest: false },
  mode: 'live',
  kind: 'message',
  template: 'welcome',
};

export async function loadLibrary() {
  const [main, file] = [newPath('main.ts'), newPath('ledger.mjs')];
  const names = ['file/file-ledger.ts', 'input.ts'];
  writeFileSync(main, names.map((name) => `export * from '${source}${name}';\n`).join(''));
  const bundle = await rolldown({ input: main, platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  const { openFileLedger, createInput } = await import(file);
  return {
    file,
    open: (folder, isLocal) => openFileLedger({ ...world, folder, isLocal }),
    planOf(rows) {
      const input = createInput();
      for (const row of rows) input.add(row);
      return { ...subject, input, choice: {} };
    },
  };
}

const world = {
  owner: { pid: process.pid, kill: (pid) => process.kill(pid, 0) },
  now: Date.now,
  later: (milliseconds, run) => {
    const timer = setTimeout(() => run(), milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
  onRepaired() {},
};

export function randomRows(count) {
  const bytes = randomBytes(20 * count);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * 20, at * 20 + 20));
}
