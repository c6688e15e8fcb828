import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '../../src/base/json.ts';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/fake-service.ts';
import { isLong } from '../support/long-tests.ts';
import { newWorld } from '../support/world.ts';

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
  const table = ['--type', 'account=number', '--type', 'tags=json', '--type', 'attributes=json'];

  it.each([
    ['tsv', table],
    ['csv', table],
    ['json', []],
    ['ndjson', []],
  ])('as %s are imported unchanged, also through stdin', async (format, words) => {
    const property = fc.asyncProperty(contacts, fc.boolean(), async (people, isPiped) => {
      const bodies = people.map((person) => jsonText(person));
      const caller = await openHostile(({ method }, _, response) =>
        method === 'GET' ? response.end(`[${bodies.join(',')}]`) : response.writeHead(201).end('{}'),
      );
      const { stdout } = await cli(['contacts', 'export', '-o', format], caller);
      const path = join(caller.home, `people.${format}`);
      writeFileSync(path, stdout);
      const argv = ['contacts', 'import', isPiped ? '-' : path, '--rate', 'none', ...words];
      const { code, stderr } = await cli(argv, { ...caller, ...(isPiped && { stdin: stdout }) });
      const sent = caller.seen.filter(({ method }) => method === 'POST').map(({ body }) => body);
      expect([code, stderr, sent.sort()]).toEqual([0, expect.anything(), people.map(bodyOf).sort()]);
    });
    await fc.assert(property, { numRuns: isLong ? 15 : 4 });
  });
});

it.each(['tsv', 'csv', 'ndjson', 'json'])('failed rows are unchanged in a report as %s', async (format) => {
  const { write, run, sandbox } = await newWorld();
  const people = write('people.tsv', 'phone\tname\n12\tC:\\\\temp "\n+12025550142\t\\"Zo"\n');
  await run(['contacts', 'import', people]);
  const { stdout } = await run(['batches', 'report', 'people', '--outcome', 'failed', '-o', format]);
  const fixed = write(`fixed.${format}`, stdout.replace(/(?<!\d)12(?!\d)/, '+12025550143'));
  expect((await run(['contacts', 'import', fixed, '--batch', 'people'])).code).toBe(0);
  const names = sandbox.contacts().map(({ name }) => name);
  expect(names.slice(5)).toEqual(['"Zo"', 'C:\\temp "']);
  const { stdout: shown } = await run(['batches', 'show', 'people', '-o', 'json']);
  expect(JSON.parse(shown)).toMatchObject({ rows: 2, sent: 2, failed: 0 });
});
