// Draws docs/*.svg, terminals in which real commands ran, and docs/page*.png, the page of a sandbox: npm run pictures
// Needs tmux, chromium, pngquant, and the free ports 3000 and 4780.
import { exec, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const root = `${import.meta.dirname}/..`;
const [home, columns, cell, line, edge] = ['/tmp/ada', 92, 8.4, 19, 14];
const env = { HOME: home, PATH: `${home}:${process.env.PATH}`, TERM: 'screen-256color', LANG: 'C.UTF-8', PS1: '$ ' };
const send = (to) => `bizmsg send-template ${to} order_update -p Ada -p A-1042 --profile local`;
const sent = send('+12025550101');
const batch = 'bizmsg send-batch order_update people.csv -p :name -p :order --batch autumn';

/** The lines to type. After "?" is a text to wait for, after "!" a command to run outside the terminal. */
const scenes = {
  send: [sent, `${send('+12025550102')} --wait`, 'bizmsg sandbox log --type messages --columns sent_at,to,status,text'],
  batch: [
    '!bizmsg sandbox start --background --plan growth && bizmsg sandbox set live=on',
    'export BIZMSG_PROFILE=local BIZMSG_MODE=live; clear',
    batch,
    '?Enter stops',
    '395',
    '?rate limit',
  ],
  listen: ['bizmsg webhooks listen --forward-to 3000/hook --retry', '?Ready', `!${sent}`, '?message.read'],
};
const css = `.c1{font-weight:bold}.c2{opacity:.6}.c31{fill:#ff7b72}.c32{fill:#7ee787}.c33{fill:#f2cc60}.c34{fill:#79c0ff}
.c35{fill:#d2a8ff}.c36{fill:#76e3ea}text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#d7dde3}`;
const run = (command) => promisify(exec)(command, { env, cwd: home });
const tmux = (...words) => execFileSync('tmux', ['-S', `${home}/tmux`, ...words], { encoding: 'utf8' });
let failures = 1;
createServer((request, answer) => {
  request.resume().on('end', () => answer.writeHead(failures-- > 0 ? 500 : 200).end('TypeError: order is undefined'));
})
  .listen(3000)
  .unref();

mkdirSync(home);
writeFileSync(`${home}/bizmsg`, `#!/bin/sh\nexec node '${root}/bin/bizmsg.js' "$@"\n`, { mode: 0o755 });
const names = ['Ada', 'Alan', 'Edsger', 'Grace'];
const rows = Array.from({ length: 400 }, (_, n) => {
  const person = n === 88 ? 7 : n;
  return [n % 100 === 15 ? 'unknown' : `+1202${5_550_200 + person}`, names[person % 4], `A-${1_042 + person}`];
});
writeFileSync(`${home}/people.csv`, `phone,name,order\n${rows.join('\n')}\n`);
try {
  for (const [name, steps] of Object.entries(scenes)) {
    writeFileSync(`${root}/docs/${name}.svg`, svgOf((await screenAfter(steps)).split('\n')));
    await run('bizmsg sandbox stop --quiet; rm -rf .local .config');
  }
  await drawPages();
} finally {
  await run('bizmsg sandbox stop --quiet');
  rmSync(home, { recursive: true, maxRetries: 10 });
}

async function screenAfter(steps) {
  const shell = ['env', '-i', ...Object.entries(env).map((pair) => pair.join('=')), 'bash', '--norc', '+m'];
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', '50', '-c', home, ...shell);
  const until = async (pattern) => {
    while (!pattern.test(tmux('capture-pane', '-p').trimEnd())) await sleep(50);
  };
  for (const [at, step] of ['clear', ...steps].entries()) {
    if (step.startsWith('!')) await run(step.slice(1));
    else if (!step.startsWith('?')) tmux('send-keys', step, 'Enter');
    await sleep(300);
    if (steps[at]?.startsWith('?')) await until(new RegExp(steps[at].slice(1)));
    else if (!step.startsWith('?')) await until(/\$$/);
  }
  const screen = tmux('capture-pane', '-p', '-e', '-N').trimEnd();
  tmux('kill-server');
  return screen.replace(/\s*\$$/, '');
}

/** Each line has its exact length, so that any font is aligned. */
function svgOf(lines) {
  let codes = [];
  const texts = lines.map((text, row) => {
    const parts = text.split(/\u001b\[([\d;]*)m/);
    const spans = parts.map((part, at) => {
      if (at % 2 === 0)
        return `<tspan class="${codes.join(' ')}">${part.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</tspan>`;
      for (const code of part.split(';'))
        codes = code === '0' ? [] : [...codes.filter((one) => !(one[1] === '3' && code[0] === '3')), `c${code}`];
      return '';
    });
    const length = Array.from(parts.filter((_, at) => at % 2 === 0).join('')).length * cell;
    return `<text xml:space="preserve" x="${edge}" y="${edge + (row + 0.75) * line}" textLength="${length}">${spans.join('')}</text>`;
  });
  const [width, height] = [columns * cell + 2 * edge, lines.length * line + 2 * edge];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img"><style>${css}</style>
<rect width="100%" height="100%" rx="8" fill="#1b1f24"/>\n${texts.join('\n')}\n</svg>\n`;
}

async function drawPages() {
  await run('bizmsg sandbox start --background --quiet && bizmsg sandbox set webhook=3000/hook');
  failures = 0;
  const people = ['Alan +12025550112', 'Katherine +12025550113', 'Edsger +12025550114', 'Ada +12025550102'];
  for (const [at, person] of [...people, 'Grace +12025550111'].entries()) {
    if (at === people.length) await sleep(3_000);
    failures = Math.max(0, at - people.length + 1);
    const [name, to] = person.split(' ');
    await run(`bizmsg send-template ${to} order_update -p ${name} -p A-${1_042 + at} --profile local`);
  }
  await sleep(8_000);
  failures = Infinity;
  await run('bizmsg sandbox trigger order.paid');
  await sleep(500);
  failures = 0;
  await run("bizmsg sandbox trigger message.received --from +12025550111 --text 'Thanks! When does it arrive?'");
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const page = await browser.newPage({
    viewport: { width: 1280, height: 720 },
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
  });
  await page.goto((await run('bizmsg sandbox open --print')).stdout.trim());
  await page.getByRole('option').filter({ hasText: 'Hello Grace' }).click();
  await page.getByText('signature valid').last().waitFor();
  await page.mouse.move(0, 0);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    const input = await page.screenshot();
    writeFileSync(`${root}/docs/page-${colorScheme}.png`, execFileSync('pngquant', ['-'], { input }));
  }
  await browser.close();
}
