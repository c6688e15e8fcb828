import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addProfile, removeProfile } from '../../../src/session/profiles/profiles.ts';
import { profileOf, readStore, type Store, storeFile } from '../../../src/session/profiles/store.ts';
import { changeStore } from '../../../src/session/profiles/write-store.ts';
import { modeOf, ownFile, ownFolder, posixOnly } from '../../support/system.ts';
import { thrown } from '../../support/thrown.ts';
import { acme, liveKey, testKey } from './people.ts';

const temp = mkdtempSync(join(tmpdir(), 'bizmsg-store-'));
const add = (name: string) => (store: Store) =>
  addProfile(store, name, { baseUrl: 'https://api.example.com', key: testKey });

let folders = 0;
function folder(): string {
  return join(temp, String(folders++), 'bizmsg');
}

function damaged(text: string): string {
  const path = folder();
  mkdirSync(path, { recursive: true });
  writeFileSync(storeFile(path), text);
  return path;
}

afterAll(() => rmSync(temp, { recursive: true, force: true }));

describe('the store', () => {
  it('is empty on a machine that never had a profile, and is not created', () => {
    const path = folder();
    expect(readStore(path)).toEqual({ version: 1, profiles: {}, exists: false });
    expect(existsSync(path)).toBe(false);
  });

  it('reads back what was written, as a 0600 file in a 0700 folder', async () => {
    const path = folder();
    await changeStore(path, add('acme'));
    const written = await changeStore(path, add('__proto__'));
    expect(readStore(path)).toEqual({ ...written, exists: true });
    expect(profileOf(readStore(path), '__proto__')).toMatchObject({ keys: { sandbox: testKey } });
    expect([modeOf(path), modeOf(storeFile(path))]).toEqual([ownFolder, ownFile]);
    expect(readdirSync(path)).toEqual(['profiles.json']);
  });

  it('remains when its last profile is removed', async () => {
    const path = folder();
    await changeStore(path, add('acme'));
    await changeStore(path, (store) => removeProfile(store, 'acme'));
    expect(readStore(path)).toEqual({ version: 1, profiles: {}, exists: true });
  });

  it('changes the modes of a folder and a file that others can read', async () => {
    posixOnly('a file has no mode');
    const path = folder();
    await changeStore(path, add('acme'));
    chmodSync(path, 0o755);
    chmodSync(storeFile(path), 0o644);
    await changeStore(path, add('beta'));
    expect([modeOf(path), modeOf(storeFile(path))]).toEqual([ownFolder, ownFile]);
  });

  it('writes through a link to the file that it names', async () => {
    posixOnly('a symbolic link needs a privilege');
    const path = folder();
    const kept = join(folder(), 'kept.json');
    mkdirSync(path, { recursive: true });
    mkdirSync(join(kept, '..'), { recursive: true });
    writeFileSync(kept, '{"version":1,"profiles":{}}');
    symlinkSync(kept, storeFile(path));
    await changeStore(path, add('acme'));
    expect(readFileSync(kept, 'utf8')).toContain('acme');
  });

  it('is not written if nothing changes', async () => {
    const path = folder();
    await changeStore(path, add('acme'));
    const before = statSync(storeFile(path)).ino;
    await changeStore(path, (store) => store);
    expect(statSync(storeFile(path)).ino).toBe(before);
  });

  it('does not change if a change is refused', async () => {
    const path = folder();
    await changeStore(path, add('acme'));
    const before = readFileSync(storeFile(path));
    await expect(changeStore(path, add('acme'))).rejects.toMatchObject({ code: 'profile-exists' });
    expect(readFileSync(storeFile(path))).toEqual(before);
    await changeStore(path, add('beta'));
  });
});

describe('a damaged store', () => {
  const profile = (changes: object) => JSON.stringify({ version: 1, profiles: { acme: { ...acme, ...changes } } });

  it.each([
    ['', 'is not JSON'],
    [`{"version":1,"profiles":{"acme":{"keys":{"live":"${liveKey}`, 'is not JSON'],
    [liveKey, 'is not JSON'],
    ['null', 'must be an object'],
    ['[]', 'must be an object'],
    ['{}', '/version must be 1'],
    ['{"version":2,"profiles":{}}', '/version must be 1'],
    ['{"version":1}', '/profiles must be an object'],
    ['{"version":1,"current":7,"profiles":{}}', '/current must be a string'],
    [profile({ baseUrl: 'api.example.com' }), '/profiles/acme/baseUrl must be a base URL'],
    [profile({ baseUrl: undefined }), '/profiles/acme/baseUrl must be a string'],
    [profile({ plan: 'toString' }), '/profiles/acme/plan must be one of'],
    [profile({ rate: '900' }), '/profiles/acme/rate must be a number'],
    [profile({ rate: -1 }), '/profiles/acme/rate must be a number'],
    [profile({ mode: 'test' }), '/profiles/acme/mode must be'],
    [profile({ keys: undefined }), '/profiles/acme/keys must be an object'],
    [profile({ keys: { sandbox: liveKey } }), '/profiles/acme/keys/sandbox holds a live key'],
    [profile({ keys: { live: `${liveKey}\n` } }), '/profiles/acme/keys/live has white space'],
    [profile({ webhookSecret: '' }), '/profiles/acme/webhookSecret is empty'],
  ])('is reported with its path and not changed: %s', async (text, why) => {
    const path = damaged(text);
    const error = thrown(() => readStore(path));
    expect(error).toMatchObject({
      exit: 'configuration',
      code: 'store-damaged',
      message: expect.stringMatching(new RegExp(`^${storeFile(path).replaceAll('\\', '\\\\')} .*${why}`)),
    });
    expect(String(error)).not.toContain(liveKey);
    expect(error).toMatchObject({ cause: undefined });
    await expect(changeStore(path, add('beta'))).rejects.toMatchObject({ code: 'store-damaged' });
    expect(readFileSync(storeFile(path), 'utf8')).toBe(text);
    expect(readdirSync(path)).toEqual(['profiles.json']);
  });
});

describe('a store that cannot be reached', () => {
  it('is reported if it is a folder', () => {
    const path = folder();
    mkdirSync(storeFile(path), { recursive: true });
    expect(thrown(() => readStore(path))).toMatchObject({
      exit: 'configuration',
      code: 'store-unreadable',
      message: `cannot read ${storeFile(path)}: it is a folder, not a file`,
    });
  });

  it('is reported if its folder is a file', async () => {
    posixOnly('the file is reported as missing');
    const path = join(damaged('{}'), 'profiles.json');
    expect(thrown(() => readStore(path))).toMatchObject({ code: 'store-unreadable' });
    await expect(changeStore(path, add('acme'))).rejects.toMatchObject({
      exit: 'configuration',
      code: 'store-unwritable',
      message: `cannot write ${path}: a file exists where a folder is needed`,
    });
  });

  it('is reported immediately on a read-only file system', async () => {
    posixOnly('it has no /proc');
    await expect(changeStore('/proc/bizmsg', add('acme'))).rejects.toMatchObject({
      exit: 'configuration',
      code: 'store-unwritable',
      message: expect.stringContaining('/proc/bizmsg'),
    });
  });

  it('does not change the mode of a shared folder', async () => {
    posixOnly('a folder has no mode');
    const path = folder();
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o1777);
    await expect(changeStore(path, add('acme'))).rejects.toMatchObject({ code: 'store-shared' });
    expect(modeOf(path)).toBe(0o777);
  });
});

describe('concurrent writers', () => {
  const script = join(temp, 'add.cjs');

  beforeAll(async () => {
    const source = (name: string) =>
      JSON.stringify(fileURLToPath(new URL(`../../../src/session/profiles/${name}.ts`, import.meta.url)));
    const entry = join(temp, 'add.ts');
    writeFileSync(
      entry,
      `import { addProfile } from ${source('profiles')};
       import { changeStore } from ${source('write-store')};
       const [folder = '', name = ''] = process.argv.slice(2);
       changeStore(folder, (store) => addProfile(store, name, { baseUrl: 'https://api.example.com' })).catch((error) => {
         console.error(error);
         process.exitCode = 1;
       });`,
    );
    const bundle = await rolldown({ input: entry, platform: 'node' });
    await bundle.write({ file: script, format: 'cjs' });
    await bundle.close();
  });

  it('in ten processes keep all ten profiles', async () => {
    const path = folder();
    const names = Array.from({ length: 10 }, (_, at) => `p${at}`);
    await Promise.all(names.map((name) => promisify(execFile)('node', [script, path, name])));
    expect(Object.keys(readStore(path).profiles).sort()).toEqual(names);
    expect(readdirSync(path)).toEqual(['profiles.json']);
  });

  it('in one process keep all profiles', async () => {
    const path = folder();
    const names = Array.from({ length: 10 }, (_, at) => `p${at}`);
    await Promise.all(names.map((name) => changeStore(path, add(name))));
    expect(Object.keys(readStore(path).profiles).sort()).toEqual(names);
  });

  it('recover the lock of a killed process', async () => {
    const path = folder();
    const lock = join(path, 'profiles.lock');
    mkdirSync(lock, { recursive: true });
    const eightSecondsAgo = Date.now() / 1000 - 8;
    utimesSync(lock, eightSecondsAgo, eightSecondsAgo);
    await changeStore(path, add('acme'));
    expect(readStore(path)).toMatchObject({ current: 'acme' });
  });
});
