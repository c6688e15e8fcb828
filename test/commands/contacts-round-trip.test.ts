import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonText } from '../../src/base/json.ts';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/fake-service.ts';
import { isLong } from '../support/long-tests.ts';
import { openWorld, type World } from '../support/world.ts';

let here: World;
let there: World;
beforeEach(async () => {
  [here, there] = await Promise.all([openWorld(), openWorld()]);
  const words = ['--set', 'phone=+12025550149', '--set', 'name=O"Neil, Ada\n2', '--set-json', 'tags=["a,b","\\"c\\""]'];
  await here.run(['contacts', 'create', ...words, '--set-json', 'attributes={"city":{"name":"Oslo"},"n":7}']);
  await here.run(['contacts', 'create', '--set', 'phone=+12025550148', '--set', 'name=[Alan]']);
});
afterEach(async () => void (await Promise.all([here.close(), there.close()])));

/** A contact without the fields that the service sets. */
const contents = ({ sandbox }: World) => sandbox.contacts().map(({ id: _id, created_at: _at, ...fields }) => fields);

const made = ['--keep', 'phone,name,tags,attributes'];
const asJson = ['--type', 'tags=json', '--type', 'attributes=json'];

async function moved(format: string, ...words: readonly string[]) {
  const { stdout } = await here.run(['contacts', 'export', '-o', format]);
  const path = join(there.home, `people.${format}`);
  writeFileSync(path, stdout);
  return there.run(['contacts', 'import', path, ...made, ...words]);
}

it.each([
  ['csv', asJson],
  ['ndjson', []],
])('imports an export in %s into another service', async (format, words) => {
  const { code, stderr } = await moved(format, ...words);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('JSON')]);
  expect(contents(there)).toEqual(contents(here));
  expect(contents(there).slice(5)).toMatchObject([{ tags: ['a,b', '"c"'], attributes: { n: 7 } }, { tags: [] }]);
});

describe('exported contacts', () => {
  const hard = fc.constantFrom(
    '"', '""', "'", '\\', '\\n', 'C:\\temp', '\t', '\n', '\r\n', '\r', '\0', ',', ';', '|', '=1+1', '@x', '-5', ' ',
    '\u001b[31m', '\u0085', '\u2028', '\u200f', '👩‍👩‍👧', 'é', 'a',
  ); // prettier-ignore
  const text = fc.oneof(
    fc.array(hard, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', minLength: 1 }),
  );
  const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n });
  const contact = fc.record({
    phone: fc.integer({ min: 12025550000, max: 12025559999 }).map((number) => `+${number}`),
    name: text,
    note: text,
    account: long,
    tags: fc.array(text, { maxLength: 3 }),
    attributes: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.oneof(text, long), { maxKeys: 3 }),
  });
  const contacts = fc.uniqueArray(contact, { minLength: 1, maxLength: 6, selector: ({ phone }) => phone });
  /** As a body: the phone first, then the other fields by name. */
  const bodyOf = ({ phone, ...fields }: { readonly phone: string }) =>
    jsonText({ phone, ...Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))) });
  const table = ['--type', 'account=number', ...asJson];

  it.each([
    ['tsv', table],
    ['csv', table],
    ['json', []],
    ['ndjson', []],
  ])('as %s are imported unchanged, also through stdin', async (format, words) => {
    const property = fc.asyncProperty(contacts, fc.boolean(), async (found, isPiped) => {
      const bodies = found.map((one) => jsonText(one));
      const caller = await openHostile(({ method }, _, response) =>
        method === 'GET' ? response.end(`[${bodies.join(',')}]`) : response.writeHead(201).end('{}'),
      );
      const { stdout } = await cli(['contacts', 'export', '-o', format], caller);
      const path = join(caller.home, `people.${format}`);
      writeFileSync(path, stdout);
      const argv = ['contacts', 'import', isPiped ? '-' : path, '--rate', 'none', ...words];
      const { code, stderr } = await cli(argv, { ...caller, ...(isPiped && { stdin: stdout }) });
      const sent = caller.seen.filter(({ method }) => method === 'POST').map(({ body }) => body);
      expect([code, stderr, sent.sort()]).toEqual([0, expect.anything(), found.map(bodyOf).sort()]);
    });
    await fc.assert(property, { numRuns: isLong ? 15 : 4 });
  });
});

describe('a tab-separated file', () => {
  async function imported(content: string) {
    const path = join(there.home, 'people.tsv');
    writeFileSync(path, content);
    const { stderr } = await there.run(['contacts', 'import', path]);
    return { names: there.sandbox.contacts().slice(5).map(({ name }) => name), stderr }; // prettier-ignore
  }

  it.each([
    ['of ours', 'phone\tname\n+12025550141\tC:\\\\temp\n+12025550142\t\\"Zo" \\t Öz\n', ['C:\\temp', '"Zo" \t Öz']],
    [
      'with a backslash that begins no escape',
      'phone\tname\n+12025550141\tC:\\temp\n+12025550142\tC:\\Users\n',
      ['C:\\temp', 'C:\\Users'],
    ],
    [
      'with a cell in quotes',
      'phone\tname\n+12025550141\tC:\\temp\n+12025550142\t"a, ""b"""\n',
      ['C:\\temp', 'a, "b"'],
    ],
    [
      'with quotes inside its cells',
      'phone\tname\n+12025550141\tA "a", b\n+12025550142\t5" pipe\n',
      ['A "a", b', '5" pipe'],
    ],
  ])('%s is read with the intended values', async (_, content, names) => {
    // prettier-ignore
    expect((await imported(content)).names).toEqual(names);
  });

  it.each(['tsv', 'csv', 'ndjson', 'json'])('has its failed rows unchanged in a report as %s', async (format) => {
    await imported('phone\tname\n12\tC:\\\\temp "\n+12025550142\t\\"Zo"\n');
    const { stdout } = await there.run(['batches', 'report', 'people', '--outcome', 'failed', '-o', format]);
    const fixed = join(there.home, `fixed.${format}`);
    writeFileSync(fixed, stdout.replace(/(?<!\d)12(?!\d)/, '+12025550143'));
    expect((await there.run(['contacts', 'import', fixed, '--batch', 'people'])).code).toBe(0);
    expect(contents(there).slice(5).map(({ name }) => name)).toEqual(['"Zo"', 'C:\\temp "']); // prettier-ignore
    const { stdout: shown } = await there.run(['batches', 'show', 'people', '-o', 'json']);
    expect(JSON.parse(shown)).toMatchObject({ rows: 2, sent: 2, failed: 0 });
  });
});
