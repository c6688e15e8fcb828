import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readExcluded, type ExcludeOptions } from '../../src/batches/exclude.ts';
import { rig } from '../session/batch-rig.ts';
import { temporaryHome } from '../support/bin.ts';

const [ada, bob] = ['+12025550101', '+12025550102'];

/** Reads a file of excluded phones with this content. */
async function excluded(content: string | Buffer, options: Partial<ExcludeOptions> = {}): Promise<readonly string[]> {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const file = join(home.path, 'no');
  writeFileSync(file, content);
  const { context } = rig({ env: {}, home: home.path });
  return readExcluded(context, [file, file], {
    country: undefined,
    encoding: undefined,
    column: undefined,
    ...options,
  });
}

it.each<[string, string | Buffer, Partial<ExcludeOptions>]>([
  ['one on each line', `${ada}\r\n\r\n  +1 (202) 555-0102 \r\n`, {}],
  ['national ones', '(202) 555-0101\n2025550102', { country: 'US' }],
  ['those of a table', `name,Phone\nAda,${ada}\n"Bob",${bob}\n,`, {}],
  ['those of a table with the column of the input', `Nr;name\n${ada};Ada\n${bob};Bob`, { column: 'NR' }],
  ['those of all columns with phones', `phone,mobile\n${ada},${bob}`, {}],
  ['with a column of countries', `to,land\n2025550101,us\n${bob},`, { country: ':Land' }],
  ['those of records', `{"phone":"${ada}"}\n{"to":"${bob}"}`, {}],
  ['in UTF-16', Buffer.from(`\ufeff${ada}\n${bob}`, 'utf16le'), {}],
  ['in windows-1252', Buffer.from(`name,phone\nJürgen,${ada}\nKöln,+1\u00a0202 5550102`, 'latin1'), {}],
  [
    'sent and unsure ones of a report',
    `phone,bizmsg_row,bizmsg_outcome\n${ada},1,sent\n+12025550103,2,failed\n${bob},3,unsure\nabc,4,failed\n+12025550104,5,waiting`,
    {},
  ],
])('reads phones: %s', async (_name, content, options) => {
  expect(await excluded(content, options)).toEqual([ada, bob]);
});

it.each([['phone\n'], ['name;"Mobile"']])('reads no phones from a header alone: %j', async (content) => {
  expect(await excluded(content)).toEqual([]);
});

it.each<[string, string, string]>([
  ['a typo', `${ada}\n\n+1202555010\n`, 'no, line 3: "+1202555010" is not a phone number'],
  ['a word', `${ada}\nBob`, 'no, line 2: "Bob" is not a phone number'],
  ['a typo in a table', `name,phone\nAda,${ada}\nBob,12`, 'no, line 3: "12" is not a phone number'],
  [
    'a national phone',
    '0170 1234567',
    'line 1: "0170 1234567" is not a phone number; --country reads national numbers',
  ],
  ['a row that cannot be read', `name,phone\n${ada}\nx,${ada}`, 'no, line 2: it has 1 cell'],
  ['a reached row without a phone', 'phone,bizmsg_outcome\n,sent', 'no, line 2: it has no phone'],
  ['a record without a phone', `{"phone":"${ada}"}\n{"name":"Bob"}`, 'no, line 2: it has no phone'],
  ['no column of phones', 'name,Nr\nAda,1', 'no, line 1: no column is named phone, to or mobile'],
  ['a header alone without phones', 'name,Nr', 'no" has no rows'],
  ['nothing', ' \n', 'is empty'],
])('refuses %s', async (_name, content, message) => {
  await expect(excluded(content)).rejects.toMatchObject({ exit: 'usage', message: expect.stringContaining(message) });
});

it('refuses a file that cannot be read, since excluded people would get a message', async () => {
  const { context } = rig({ env: {} });
  const options = { country: undefined, encoding: undefined, column: undefined };
  const reading = readExcluded(context, ['/nowhere/no.txt'], options);
  await expect(reading).rejects.toMatchObject({ exit: 'configuration', code: 'exclude-file' });
});
