// Draws docs/*.svg, terminals in which real commands ran, each in a new home, and docs/page*.png, the page of a sandbox.
// Needs tmux, chromium, pngquant, and free ports 3000, 4780 and 4781, or a separate network: unshare -rn sh -c 'ip link set lo up && npm run pictures'
//   npm run pictures [-- send import]
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { drawn } from './svg.mjs';

const root = join(import.meta.dirname, '..');
const columns = 92;
/** Visible in the pictures. */
const home = '/tmp/ada';
const run = promisify(execFile);
let refused = 0;

/** The commands of each picture. `wait` waits for text on the screen, while the command before it runs; `hidden` runs outside the terminal. */
const scenes = {
  send: [
    'bizmsg send-template +12025550101 order_update -p Ada -p A-1042 --profile local',
    'bizmsg send-template +12025550102 order_update -p Ada -p A-1042 --profile local --wait',
    'bizmsg sandbox messages --columns sent_at,to,status,text',
  ],
  import: [
    'bizmsg contacts import people.csv --map Mobile=phone --country US --dry-run',
    'bizmsg contacts import people.csv --map Mobile=phone --country US --rate 300/s',
  ],
  progress: [
    { hidden: 'bizmsg sandbox start --background --plan starter' },
    'bizmsg contacts import people.csv --map Mobile=phone --country US --profile local',
    { wait: 'waiting for the rate limit, next in 4' },
  ],
  listen: [
    'bizmsg webhooks listen --forward-to 3000/hook --retry',
    { wait: 'Ready' },
    { hidden: 'bizmsg send-template +12025550101 order_update -p Ada -p A-1042 --profile local' },
    { wait: 'message.read' },
    { hidden: 'bizmsg send-template +12025550102 order_update -p Ada -p A-1042 --profile local' },
    { wait: 'message.failed' },
    { hidden: 'sleep 2' },
  ],
  doctor: ['bizmsg sandbox start --background --quiet', 'clear', 'bizmsg doctor'],
};

for (const [name, steps] of Object.entries(scenes)) {
  if (process.argv.length > 2 && !process.argv.includes(name)) continue;
  writeFileSync(join(root, `docs/${name}.svg`), drawn(await screenAfter(steps), columns));
  console.log(`docs/${name}.svg`);
}
if (process.argv.length === 2 || process.argv.includes('page')) {
  mkdirSync(home);
  await drawPages({ HOME: home, PATH: process.env.PATH }).finally(removeHome);
}

function removeHome() {
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}

/** Runs the commands; returns the final screen with its colors. */
async function screenAfter(steps) {
  mkdirSync(home);
  const tmux = (...words) => execFileSync('tmux', ['-S', join(home, 'tmux'), ...words], { encoding: 'utf8' });
  prepare();
  const handler = createServer(respond).listen(3000, '127.0.0.1');
  const env = {
    HOME: home,
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    TERM: 'screen-256color',
    LANG: 'C.UTF-8',
  };
  const words = Object.entries({ ...env, PS1: '\\[\\e[32m\\]$\\[\\e[0m\\] ' }).map(([key, value]) => `${key}=${value}`);
  const shell = ['env', '-i', ...words, 'bash', '--norc', '+m'];
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', '50', '-c', home, ...shell);
  const until = async (holds) => {
    for (let left = 600; left > 0; left--) {
      if (holds(tmux('capture-pane', '-p').trimEnd())) return;
      await sleep(50);
    }
    throw new Error(`the expected text did not appear:\n${tmux('capture-pane', '-p')}`);
  };
  try {
    await until((text) => text.endsWith('$'));
    for (const [at, step] of steps.entries()) {
      if (step.wait) await until((text) => text.includes(step.wait));
      else if (step.hidden) await once(spawn('sh', ['-c', step.hidden], { env, cwd: home, stdio: 'ignore' }), 'exit');
      else {
        tmux('send-keys', '-l', '--', step);
        tmux('send-keys', 'Enter');
        await sleep(300);
        if (!steps[at + 1]?.wait) await until((text) => text.endsWith('$'));
      }
    }
    return tmux('capture-pane', '-p', '-e', '-N').replace(/(\s*\S*\$\S*\s*)+$/, '');
  } finally {
    execFileSync(process.execPath, [join(root, 'bin/bizmsg.js'), 'sandbox', 'stop', '--quiet'], {
      env,
      stdio: 'ignore',
    });
    handler.close().closeAllConnections();
    tmux('kill-server');
    await sleep(500);
    removeHome();
  }
}

/** A handler that fails on its first event. */
function respond(request, answer) {
  request.resume().on('end', () => {
    if (refused++ > 0) return answer.end('thanks');
    return answer.writeHead(500).end('TypeError: order is undefined');
  });
}

/** Installs the program as `bizmsg`, and writes a file to import. */
function prepare() {
  execFileSync('mkdir', ['-p', join(home, 'bin')]);
  const program = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/bizmsg.js')}' "$@"\n`;
  writeFileSync(join(home, 'bin/bizmsg'), program, { mode: 0o755 });
  const rows = Array.from(
    { length: 1_200 },
    (_, n) => `${n === 700 ? '1.20256E+10' : `+1202${5_550_000 + n}`},Person ${n}\n`,
  );
  writeFileSync(join(home, 'people.csv'), `Mobile,name\n${rows.join('')}`);
}

/** Draws the page of a sandbox in which real commands ran: with a conversation, then with an event that its handler refuses. */
async function drawPages(env) {
  // Not execFileSync: the handler has to answer meanwhile.
  const bizmsg = (...words) => run(process.execPath, [join(root, 'bin/bizmsg.js'), ...words], { env });
  const send = (...words) => bizmsg('send-template', ...words, '--profile', 'local', '--quiet');
  refused = 1;
  const handler = createServer(respond).listen(3000);
  await bizmsg('sandbox', 'start', '--background', '--rng', 'page');
  await bizmsg('sandbox', 'clock', 'freeze');
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    await bizmsg('sandbox', 'endpoints', 'add', 'http://127.0.0.1:3000/hook');
    await send('+12025550102', 'verification_code', '-p', '471100');
    await send('+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042');
    await bizmsg('sandbox', 'clock', 'advance', '4s');
    await bizmsg('sandbox', 'trigger', 'message.received', '--from', '+12025550101', '--text', 'When does it arrive?');
    await bizmsg('sandbox', 'clock', 'advance', '5s');
    await send('+12025550101', 'appointment_reminder', '-p', 'Ada', '-p', 'Monday', '-p', '9:00');
    await send('+12025550103', 'welcome');
    await bizmsg('sandbox', 'clock', 'advance', '400ms');
    const page = await browser.newPage({ viewport: { width: 1280, height: 680 }, reducedMotion: 'reduce' });
    const { stdout: link } = await bizmsg('sandbox', 'open', '--print');
    await page.goto(link.trim());
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByText('When does it arrive?').first().waitFor();
    await page
      .getByText(/^200 in/)
      .first()
      .waitFor();
    writeFileSync(join(root, 'docs/page.png'), small(await page.screenshot()));
    // From now on, the handler fails.
    refused = -Infinity;
    await send('+12025550111', 'order_update', '-p', 'Grace', '-p', 'A-1043');
    for (const span of ['500ms', '6s']) await bizmsg('sandbox', 'clock', 'advance', span);
    await page.getByRole('link', { name: '+12025550111' }).first().click();
    const story = page.getByRole('complementary', { name: 'What happened' });
    const event = story.getByRole('button', { name: 'Read' });
    if ((await event.getAttribute('aria-expanded')) === 'true') await event.click();
    await story.getByRole('button', { name: 'retry 1' }).first().click();
    await story.getByText('TypeError').first().waitFor();
    // The page asks for the clock again.
    await sleep(3_000);
    writeFileSync(join(root, 'docs/page-retries.png'), small(await page.screenshot()));
    console.log('docs/page.png, docs/page-retries.png');
  } finally {
    await browser.close();
    await bizmsg('sandbox', 'stop', '--quiet');
    handler.close().closeAllConnections();
  }
}

/** A PNG with at most 256 colors, a third of the size. */
function small(png) {
  return execFileSync('pngquant', ['--quality', '80-95', '--speed', '1', '-'], { input: png });
}
