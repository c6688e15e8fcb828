import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { authorityFile, serve, type Service } from '../client/servers.ts';
import { secret as webhookSecret, signed } from '../commands/webhooks-rig.ts';
import { accountKeys, openApi } from '../support/api.ts';
import { cleanEnv, installIn } from '../support/bin.ts';
import { cli, type Ran } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { words } from '../support/shell-words.ts';
import { posixOnly } from '../support/system.ts';
import { recordEvents } from '../../src/logs/events.ts';
import { recordForward } from '../../src/logs/forwards.ts';
import { delivery, logsIn } from '../webhooks/rig.ts';

const seed = 'help';

/** What needs a shell, a process of its own, or another authority than this process trusts. */
const needsShell = /\||^(login|batches resume|sandbox (start|exec|open)|webhooks (listen|expect))\b/;

type Shell = (line: string) => ReturnType<typeof start>;

/** A machine that can run the examples of a command unchanged, with the files that they name. */
export async function openMachine(command: string) {
  const home = newHome();
  const [handler, failing] = [await answering(204), await answering(503)];
  const env = { ...cleanEnv(home), ...(await openApi()), PATH: installIn(home), SHELL: '/bin/bash' };
  const shell: Shell = (line) => start(line, home, env);
  const here = (line: string) => line.replaceAll('3000', String((isOfSandbox ? failing : handler).port));
  const isOfSandbox = command.startsWith('sandbox ');
  const root = process.cwd();
  process.chdir(home);
  onTestFinished(() => process.chdir(root));
  if (command !== 'login') addAcme(home);
  writeFiles(home);
  await addEvents(home, `${handler.url}/hooks`, ['webhooks replay', 'webhooks list'].includes(command) ? 503 : 200);
  if (command === 'sandbox start') onTestFinished(async () => void (await shell('bizmsg sandbox stop')));
  else await fillSandbox(home, failing, /^(sandbox|webhooks) /.test(command));
  for (const line of before[command] ?? []) await run(`${line} --ca-file ${authorityFile}`);
  return { home, run, goOn: (line: string) => goOn(shell, `bizmsg ${here(line)} --port 0`) };

  /** Runs a command line without the name of the program. */
  async function run(line: string): Promise<Ran> {
    if (needsShell.test(line)) {
      const { exitCode = -1, stdout, stderr } = await shell(`bizmsg ${here(line)}`);
      return { code: exitCode, stdout, stderr };
    }
    const [, file] = /< (\S+)$/.exec(line) ?? [];
    const stdin = file === undefined ? {} : { stdin: readFileSync(file) };
    return cli(words(here(line)), { home, env, ...stdin });
  }
}

const autumn = 'send-batch welcome people.csv --batch autumn';
const mixed = 'send-batch welcome mixed.csv --batch autumn';
const unanswered = 'sandbox fault send-template=500';

const optedOut = 'opt-outs add +12025550101 --profile local';

/** Commands that must run before an example. */
const before: Readonly<Record<string, readonly string[]>> = {
  'completion uninstall': ['completion install zsh'],
  'opt-outs list': [optedOut],
  'opt-outs remove': [optedOut],
  'batches list': [autumn],
  'batches show': [autumn],
  'batches report': [mixed],
  'batches resume': [`${autumn} --first 1`],
  'batches mark': [unanswered, `${autumn} --profile local`],
  'batches cancel': [`${autumn} --first 1`],
  'batches delete': [autumn],
  history: [autumn, mixed],
  'sandbox fault': [unanswered],
  'webhooks verify': ['webhooks show --raw event.http'],
};

/** Starts a long-running command, and waits until it is ready. */
async function goOn(shell: Shell, line: string) {
  const child = shell(`exec ${line}`);
  let text = '';
  child.stdout.on('data', (part: Buffer) => (text += part.toString()));
  await expect.poll(() => text).toMatch(/Ready|"type":"ready"/);
  return {
    printed: () => text,
    end: async () => {
      child.kill('SIGINT');
      return (await child).exitCode;
    },
  };
}

function start(line: string, cwd: string, env: Readonly<Record<string, string>>) {
  posixOnly('they run a POSIX shell');
  return execa('/bin/sh', ['-c', line], { cwd, env, extendEnv: false, reject: false, stdin: 'ignore' });
}

function answering(status: number): Promise<Service> {
  return serve((_, __, response) => response.writeHead(status).end());
}

/** Creates events, so that no list is empty. For deliveries, one has failed. */
async function fillSandbox(home: string, failing: Service, isLookedAt: boolean): Promise<void> {
  const sandbox = await serveLocal(home, { seed });
  sandbox.webhooks.add({ url: `${failing.url}/hooks` });
  const headers = { authorization: `Bearer ${sandbox.keys.sandbox}`, 'content-type': 'application/json' };
  await sandbox.answer({ method: 'GET', target: '/api/public/contacts', headers, body: '' });
  const { clock } = sandbox;
  clock.set({ frozen: clock.now() });
  for (const to of ['+12025550103', '+12025550102']) {
    const body = JSON.stringify({ to, template: 'welcome', params: [] });
    await sandbox.answer({ method: 'POST', target: '/api/public/messages/send-template', headers, body });
  }
  if (isLookedAt) {
    // Advances to the first receipt, and delivers it.
    await clock.advance((clock.nextAt() ?? 0) - clock.now(), sandbox.settled);
    expect(failing.seen).toHaveLength(1);
  }
  clock.set({ ahead: 0 });
}

function writeFiles(home: string): void {
  const files = {
    'mixed.csv': 'phone,name\n+12025550101,Ada\n1.20256E+10,Edsger\n',
    'opt-outs.csv': '+12025550101\n+12025550102\n',
    'people.csv': 'phone,name\n+12025550146,Ada\n+12025550147,Alan\n',
    'many.csv': `phone\n${Array.from({ length: 44 }, (_, at) => `+120255510${at + 10}\n`).join('')}`,
    'crm.csv': 'Mobile,name,tags\n(202) 555-0146,Ada,vip;lead\n(202) 555-0147,Alan,\n',
    'orders.csv': 'phone,name,order\n+12025550146,Ada,A-1042\n+12025550147,Alan,A-1043\n',
    'key.txt': `${accountKeys.sandbox}\n`,
    'secret.txt': `${webhookSecret}\n`,
    'body.json': '{"type":"message.read"}',
    'contents.json':
      '{"contacts":[{"phone":"+12025550145"},{"phone":"+12025550146"}],"templates":[{"name":"thanks","body":"Thanks!"},{"name":"bye","body":"Bye!"}],"campaigns":[{"name":"Spring","template":"thanks"}]}',
    'package.json': JSON.stringify({ scripts: { test: `${order}; ${order}` } }),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home, name), content);
}

const order = 'bizmsg sandbox trigger order.paid --currency EUR';

/** Records an old event, e12, whose id the examples use, and a new one. */
async function addEvents(home: string, url: string, status: number): Promise<void> {
  const { logs } = await logsIn(join(home, '.local/state/bizmsg'));
  const body = '{"type":"message.read","data":{"message_id":"msg_1","to":"+12025550101"}}';
  const events = [Date.now() - 3_600_000, Date.now()].map((at) => {
    const headers = [['Content-Type', 'application/json'], ...signed(body, { by: webhookSecret, at })] as const;
    return { delivery: delivery(body, { path: '/hooks', headers }), at, forwardTo: undefined };
  });
  const first = await logs.write(recordEvents(events, 11));
  for (const number of [first, first + 1]) await logs.write(recordForward(number, Date.now(), { url, ms: 12, status }));
}

function addAcme(home: string): void {
  const acme = {
    baseUrl: 'https://api.example.com',
    plan: 'growth',
    mode: 'sandbox',
    keys: accountKeys,
    webhookSecret,
  };
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const store = { version: 1, current: 'acme', profiles: { acme } };
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify(store), { mode: 0o600 });
}
