import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`the contents on the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  it('find contacts, show their fields, and lead to their phone', async () => {
    shown.sandbox.seed({ contacts: [{ phone: '+12025550188', name: 'Lise', attributes: { shoe: 'size 42' } }] });
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('searchbox').fill('SIZE 42');
    const table = page.getByRole('table', { name: 'Contacts' });
    await expect.poll(() => table.getByRole('row').count()).toBe(2);
    expect(await page.getByRole('status').first().innerText()).toMatch(/^1 of \d+ contacts$/);
    await table.getByRole('button', { name: '+12025550188' }).click();
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText('"shoe": "size 42"').waitFor();
    await details.getByRole('link', { name: 'Messages of +12025550188' }).click();
    const thread = page.getByRole('region', { name: 'Messages of +12025550188' });
    await thread.getByRole('heading', { name: 'Lise' }).waitFor();
    await thread.getByText('+12025550188', { exact: true }).waitFor();
  });

  it('are asked for one part at a time', async () => {
    const page = await tabs.open(shown.link);
    // The phones ask for the contacts, for their names.
    const answered = `performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/contacts'))`;
    await expect.poll(() => page.evaluate(answered)).toBe(true);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${shown.url}/__sandbox/#contents/templates`);
    await page.getByRole('table', { name: 'templates' }).waitFor();
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search campaigns' }).waitFor();
    expect(asked.filter((url) => url.endsWith('/contacts'))).toEqual([]);
  });

  it('preview a template with its variables', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByRole('cell', { name: 'order_update' }).click();
    const details = page.getByRole('region', { name: 'Details' });
    const preview = details.getByRole('group', { name: 'Preview' });
    await preview.getByText('Hello {{name}}, your order {{order}}').waitFor();
    await details.getByRole('textbox', { name: 'order' }).fill('A-7');
    await preview.getByText('Hello {{name}}, your order A-7').waitFor();
    expect(await preview.locator('mark').allInnerTexts()).toEqual(['{{name}}', 'A-7']);
  });

  it('say that a template cannot be sent', async () => {
    const page = await tabs.open(shown.link);
    await page.goto(`${shown.url}/__sandbox/#contents/templates%2Fregalo`);
    const note = page.getByText('only an approved template can be sent');
    await expect.poll(() => note.isVisible()).toBe(true);
  });

  it('send a campaign to the contacts with a tag', async () => {
    const phones = ['+12025550161', '+12025550162', '+12025550163'];
    shown.sandbox.seed({
      contacts: phones.map((phone, at) => ({ phone, tags: at === 0 ? [] : ['paged'] })),
      campaigns: [{ name: 'Paged', template: 'welcome', status: 'SCHEDULED' }],
    });
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('button', { name: 'Paged' }).click();
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByRole('combobox', { name: 'Contacts' }).selectOption('with the tag paged');
    await details.getByRole('button', { name: 'Send to 2 contacts' }).click();
    await details.getByText('COMPLETED').waitFor();
    expect(shown.sandbox.messages().map(({ to }) => to)).toEqual(phones.slice(1));
  });

  it('choose rows by keyboard, also those that were not shown yet', async () => {
    shown.sandbox.seed({ contacts: Array.from({ length: 120 }, (_, at) => ({ phone: `+1202${5_560_000 + at}` })) });
    const page = await tabs.open(shown.link);
    await page.goto(`${shown.url}/__sandbox/#contents/contacts%2F%2B12025560080`);
    const chosen = page.locator('tr.chosen');
    await chosen.waitFor();
    for (let at = 0; at < 30; at++) await page.keyboard.press('j');
    await chosen.getByRole('button', { name: '+12025560110' }).waitFor();
    expect(
      await page.evaluate(`(() => {
      const { top, bottom } = document.querySelector('tr.chosen').getBoundingClientRect();
      return top > 0 && Math.floor(bottom) <= innerHeight;
    })()`),
    ).toBe(true);
    await page.keyboard.press('Escape');
    await chosen.waitFor({ state: 'detached' });
  });
});
