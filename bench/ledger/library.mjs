// Loads the ledger from its source, into this process.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { loadSqlite } from '../../bin/sqlite.js';
import { newPath } from '../rig/processes.mjs';

const source = fileURLToPath(new URL('../../src/ledger/', import.meta.url));
const subject = {
  account: { id: 'profile:bench', origin: 'https://api.example.com', keyDigest: '00' },
  mode: 'live',
  kind: 'message',
  template: 'welcome',
};

export async function loadLibrary() {
  const [main, file] = [newPath('main.ts'), newPath('ledger.mjs')];
  writeFileSync(
    main,
    ['open.ts', 'input.ts', 'identity.ts']
      .map((name) => `export * from ${JSON.stringify(join(source, name))};\n`)
      .join(''),
  );
  const bundle = await rolldown({ input: main, platform: 'node' });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  const { openLedger, createInput, rowSize } = await import(pathToFileURL(file).href);
  return {
    /** The ledger of real accounts. */
    open: (stateFolder, isLocal = false) => openLedger({ stateFolder, host, isLocal, isLive: true, note() {} }),
    planOf(count, more = {}) {
      const bytes = randomBytes(rowSize * count);
      const input = createInput();
      input.reserve(count);
      for (let at = 0; at < bytes.length; at += rowSize) input.add(bytes.subarray(at, at + rowSize));
      const about = { command: 'send-batch', typed: 'bizmsg send-batch', file: undefined, rows: count, invalid: 0 };
      return { ...subject, input, choice: {}, about, ...more };
    },
  };
}

const host = {
  pid: process.pid,
  kill: (pid) => process.kill(pid, 0),
  now: Date.now,
  later: (milliseconds, run) => {
    const timer = setTimeout(() => run(), milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
  steady: () => performance.now(),
  sqlite: loadSqlite,
};
