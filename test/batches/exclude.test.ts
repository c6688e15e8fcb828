import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { errorIn } from '../support/json-lines.ts';

const [ada, bob, cy] = ['+12025550101', '+12025550102', '+12025550104'];

/** A dry run of a batch to three people, of whom those in a file of this content are excluded. */
async function excluding(content: string | Buffer | undefined, words: readonly string[] = []) {
  const home = newHome();
  const write = (name: string, text: string | Buffer) => (writeFileSync(join(home, name), text), join(home, name));
  const people = write('people.csv', `NR,Land\n${ada},us\n${bob},us\n${cy},us\n`);
  const no = content === undefined ? join(home, 'none') : write('no', content);
  const argv = ['send-batch', 'welcome', people, '--map', 'NR=phone', '--exclude-from', no, '--exclude-from', no];
  const env = callerOf('http://127.0.0.1:9');
  return cli([...argv, ...words, '--retries', '0', '--dry-run', '-o', 'json'], { home, env });
}

it.each<[string, string | Buffer, string?]>([
  ['one on each line', `${ada}\r\n\r\n  +1 (202) 555-0102 \r\n`],
  ['national ones', '(202) 555-0101\n2025550102', '--country=US'],
  ['those of a table', `name,Phone\nAda,${ada}\n"Bob",${bob}\n,`],
  ['those of a table with the column of the input', `Nr;name\n${ada};Ada\n${bob};Bob`],
  ['those of all columns with phones', `phone,mobile\n${ada},${bob}`],
  ['with a column of countries', `to,land\n2025550101,us\n${bob},`, '--country=:Land'],
  ['those of records', `{"phone":"${ada}"}\n{"to":"${bob}"}`],
  ['in UTF-16', Buffer.from(`\ufeff${ada}\n${bob}`, 'utf16le')],
  ['in windows-1252', Buffer.from(`name,phone\nJürgen,${ada}\nKöln,+1\u00a0202 5550102`, 'latin1')],
  [
    'sent and unsure ones of a report',
    `phone,bizmsg_row,bizmsg_outcome\n${ada},1,sent\n+12025550103,2,failed\n${bob},3,unsure\nabc,4,failed\n${cy},5,waiting`,
  ],
])('reads phones: %s', async (_name, content, words) => {
  const { code, stdout } = await excluding(content, words === undefined ? [] : [words]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { to_send: 1, not_sent: 2, first: { to: cy } }]);
});

it.each(['phone\n', 'name;"Mobile"'])('reads no phones from a header alone: %j', async (content) => {
  expect(JSON.parse((await excluding(content)).stdout)).toMatchObject({ to_send: 3 });
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
  ['no column of phones', 'name,order\nAda,1', 'no, line 1: no column is named phone, to or mobile'],
  ['a header alone without phones', 'name,order', 'no" has no rows'],
  ['nothing', ' \n', 'is empty'],
])('refuses %s', async (_name, content, message) => {
  const { code, stderr } = await excluding(content);
  expect([code, errorIn(stderr)['message']]).toEqual([2, expect.stringContaining(message)]);
});

it('refuses a file that cannot be read, since excluded people would get a message', async () => {
  const { code, stderr } = await excluding(undefined);
  expect([code, errorIn(stderr)['code']]).toEqual([3, 'exclude-file']);
});
