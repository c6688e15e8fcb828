// Draws docs/page.png: the page of a sandbox in which real commands ran. Needs chromium and port 4780.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '..');

/** `env` has the home of the sandbox. */
export async function drawPage(file, env) {
  const bizmsg = (...words) =>
    execFileSync(process.execPath, [join(root, 'bin/bizmsg.js'), ...words], { env, encoding: 'utf8' });
  const send = (...words) => bizmsg('send-template', ...words, '--profile', 'local', '--quiet');
  bizmsg('sandbox', 'start', '--background', '--rng', 'page');
  bizmsg('sandbox', 'clock', 'freeze');
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    send('+12025550102', 'verification_code', '-p', '471100');
    send('+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042');
    bizmsg('sandbox', 'clock', 'advance', '4s');
    bizmsg('sandbox', 'trigger', 'message.received', '--from', '+12025550101', '--text', 'When does it arrive?');
    bizmsg('sandbox', 'clock', 'advance', '5s');
    send('+12025550101', 'appointment_reminder', '-p', 'Ada', '-p', 'Monday', '-p', '9:00');
    send('+12025550103', 'welcome');
    bizmsg('sandbox', 'clock', 'advance', '400ms');
    const page = await browser.newPage({ viewport: { width: 1120, height: 500 } });
    await page.goto(bizmsg('sandbox', 'open', '--print').trim());
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByText('When does it arrive?').first().waitFor();
    await page.getByText('queued').waitFor();
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
    bizmsg('sandbox', 'stop', '--quiet');
  }
}
