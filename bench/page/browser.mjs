// Opens the page of a sandbox in chromium.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** The reason why there is no browser, if any. */
export const noBrowser = executablePath === undefined ? { unmeasured: 'chromium is not installed' } : undefined;

/** Opens the page; with an address of a number, that thread. */
export async function openPage({ url, token }, place = '') {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${url}/__sandbox/#t=${token}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (place !== '') await page.goto(`${url}/__sandbox/#${place}`);
  return { page, end: () => browser.close() };
}
