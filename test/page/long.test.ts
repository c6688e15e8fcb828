import { describe, expect, it } from 'vitest';
import { paths } from '../sandbox/calls.ts';
import { noBrowser, useBrowser, useSandbox } from './browser.ts';

const count = 5_000;

describe.skipIf(noBrowser)(`the page with ${count} messages (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  /** Sends the messages to one number, and adds as many contacts. */
  async function fill(): Promise<void> {
    const { sandbox } = shown;
    const headers = { authorization: `Bearer ${sandbox.keys.sandbox}`, 'content-type': 'application/json' };
    sandbox.webhooks.add({ url: 'http://127.0.0.1:9/hooks', events: ['contact.created'] });
    sandbox.seed({ contacts: Array.from({ length: count }, (_, at) => ({ phone: `+1202${5_600_000 + at}` })) });
    for (let at = 0; at < count; at++) {
      const body = JSON.stringify({ to: '+12025550102', template: 'verification_code', params: [String(at)] });
      await sandbox.answer({ method: 'POST', target: paths.send, headers, body });
    }
    await sandbox.time.advance(400);
  }

  it('renders at most a few hundred elements of each list, and more on demand', async () => {
    await fill();
    const page = await tabs.open(shown.link);
    const screens = page.getByRole('navigation', { name: 'Screens' });
    const open = (name: string) => screens.getByRole('link', { name }).click();
    for (const [screen, table] of [
      ['Events', 'Timeline'],
      ['Webhooks', 'Deliveries'],
      ['Data', 'Contacts'],
    ] as const) {
      await open(screen);
      const rows = page.getByRole('table', { name: table }).getByRole('row');
      await expect.poll(() => rows.count()).toBe(101);
      await page.getByRole('button', { name: /^Show 100 more of / }).click();
      await expect.poll(() => rows.count()).toBe(201);
    }
    await page.goto(`${shown.url}/__sandbox/#limits/keys`);
    await expect.poll(() => page.getByRole('table', { name: 'Audit' }).getByRole('row').count()).toBe(101);
  });
});
