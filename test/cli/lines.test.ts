import { expect, it } from 'vitest';
import { parse } from '../../src/cli/parser.ts';
import { tree } from '../../src/commands/index.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { words } from '../support/shell-words.ts';

const bare = (text: string) => text;
const parsed = (line: string) => parse(tree, words(line), { width: 80, bold: bare, dim: bare });

/** The texts of a line that are not empty. */
async function textsOf(line: string) {
  const { path, texts } = await parsed(line);
  return {
    path: path.slice(1).join(' '),
    ...Object.fromEntries(Object.entries(texts).filter(([, all]) => all.length)),
  };
}

it.each([
  ['contacts list', { path: 'contacts list' }],
  ['--profile x contacts list --all', { path: 'contacts list', profile: ['x'], all: [''] }],
  ['contacts -o json list', { path: 'contacts list', output: ['json'] }],
  ['-ojson --profile=x contacts list', { path: 'contacts list', output: ['json'], profile: ['x'] }],
  ['--profile contacts contacts list', { path: 'contacts list', profile: ['contacts'] }],
  ['contacts list --yq', { path: 'contacts list', yes: [''], quiet: [''] }, 'contacts list -yq'],
  ['send-template 1 list', { path: 'send-template', phone: ['1'], template: ['list'] }],
  ['send-template -p a -p b=c 1', { path: 'send-template', params: ['a', 'b=c'], phone: ['1'] }],
  ['send-template -p -', { path: 'send-template', params: ['-'] }],
  ['send-template -p=Ada -pBo --param=--yes', { path: 'send-template', params: ['Ada', 'Bo', '--yes'] }],
  ['send-template -p= --param=', { path: 'send-template', params: ['', ''] }],
  [
    'send-template --wait 1 welcome',
    { path: 'send-template', wait: ['delivered'], phone: ['1'], template: ['welcome'] },
  ],
  ['send-template --wait=read 1', { path: 'send-template', wait: ['read'], phone: ['1'] }],
  ['sandbox exec -- npm test --watch -- -x', { path: 'sandbox exec', words: ['npm', 'test', '--watch', '--', '-x'] }],
  [
    'sandbox exec --plan growth npm test -q --a=b',
    { path: 'sandbox exec', plan: ['growth'], words: ['npm', 'test', '-q', '--a=b'] },
  ],
  ["sandbox exec -- ''", { path: 'sandbox exec', words: [''] }],
  [
    'webhooks expect order.paid --count 2 -- npm -q',
    { path: 'webhooks expect', event: ['order.paid'], count: ['2'], words: ['npm', '-q'] },
  ],
])('a line %s', async (line, texts, typed = line) => {
  expect(await textsOf(typed)).toEqual(texts);
});

/** The message and the hint for a line that is refused with exit 2. */
async function refusal(line: string): Promise<readonly [message: string, hint: string]> {
  const { code, stdout, stderr } = await cli(words(line), { home: newHome() });
  const [message = '', hint = ''] = stderr.split('\n').map((text) => text.trim());
  if (code !== 2 || stdout !== '') throw new Error(`${line}: ${code} ${stdout}`);
  return [message.replace('error: ', ''), hint];
}

/** Lines that are refused, each with its message and its hint. */
const refused = `
send-template -p --yes → -p is followed by "--yes", which looks like an option → if it is the value, write -p=--yes
send-template -p -- --yes → -p is followed by "--", which looks like an option → if it is the value, write -p=--
contacts list --limit -1 → --limit is followed by "-1", which looks like an option → if it is the value, write --limit=-1
send-template -p '' → the value of -p is empty → -p= sends it
--profile '' contacts list → the value of --profile is empty → is a variable not set?
send-template '' → an argument is empty → is a variable not set?
send-template -- 1 '' → an argument is empty → is a variable not set?
contacts list --limit 1 --limit 2 → --limit is given twice → give it once
contacts list --columns → --columns needs a value → see bizmsg contacts list --help
contacts list --quiet=yes → --quiet takes no value → write --quiet instead of --quiet=yes
contacts list -o jsn → --output: "jsn" is not one of table, json, ndjson, csv, tsv, id → did you mean json?
contacts export -o people.csv → --output: "people.csv" is not one of table, json, ndjson, csv, tsv, id → results go to stdout: -o csv > people.csv
contacts list --limt 3 → unknown option --limt → did you mean --limit?
contacts list --xyzzy → unknown option --xyzzy → see bizmsg contacts list --help
--all contacts list → unknown option --all → put the options of a command after its name
contacts list --token abc → unknown option --token → keys are never arguments: bizmsg login stores one in a profile, or set BIZMSG_API_KEY and BIZMSG_BASE_URL
contcats list → "contcats" is not a command of bizmsg → did you mean bizmsg contacts?
contacts lsit → "lsit" is not a command of bizmsg contacts → did you mean bizmsg contacts list?
help contcats → "contcats" is not a command of bizmsg → did you mean bizmsg contacts?
xyzzy → "xyzzy" is not a command of bizmsg → see bizmsg --help
keys list → "list" is not a command of bizmsg keys → did you mean bizmsg profiles list?
runs list → "runs" is not a command of bizmsg → did you mean bizmsg batches list?
import people.csv → "import" is not a command of bizmsg → did you mean bizmsg contacts import?
flows → flows: announced by the API, not available yet → coming soon: trigger a flow
--quiet → bizmsg needs a command → see bizmsg --help
send-template +49 170 1234567 welcome → "1234567" is one argument too many → quote the phone: '+49 170 1234567'
send-template +12025550101 welcome Ada → "Ada" is one argument too many → did you mean -p Ada?
batches show a b → "b" is one argument too many → write bizmsg batches show [batch], and quote a value that has a space
`;

it.each(
  refused
    .trim()
    .split('\n')
    .map((row) => row.split(' → ')),
)('refuses %s', async (line = '', ...wanted) => {
  expect(await refusal(line)).toEqual(wanted);
});

it.each(['login sk_live_0123456789abcdef', '--api-key sk_test_abcdefgh contacts list'])(
  'says that a key is never an argument: %s',
  async (line) => {
    const [message, hint] = await refusal(line);
    expect([message.includes('0123456789'), hint]).toEqual([false, expect.stringContaining('so replace it')]);
  },
);

it.each(['contacts lsit -o json', 'contacts list --limt 3 -ondjson', '-o=json', 'contacts list --output=json --limit'])(
  'reports the error of %s as JSON',
  async (line) => {
    const { stdout, stderr } = await cli(words(line), { home: newHome() });
    expect([stdout, JSON.parse(stderr)]).toEqual(['', { error: expect.objectContaining({ code: 'usage' }) }]);
  },
);

it.each(['-o tsv', '-- -o json', '-p json'])('reports the error of contacts lsit %s as text', async (line) => {
  const { stderr } = await cli(words(`contacts lsit ${line}`), { home: newHome() });
  expect(stderr).toMatch(/^error: /);
});
