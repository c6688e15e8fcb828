import { describe, expect, it } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { noBrowser, rowsOn, storyOn, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`the phone and the story (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  it('replies reach a real handler, and show what it answered', async () => {
    const hook = await receiver((response) => response.writeHead(202).end());
    shown.sandbox.webhooks.add({ url: hook.url });
    const page = await tabs.open(shown.link);
    await page.goto(`${shown.url}/__sandbox/#activity/%2B12025550103`);
    const field = page.getByRole('textbox', { name: 'Reply as +12025550103' });
    await field.fill('Please ');
    await page.getByRole('button', { name: 'Insert a reply' }).click();
    await page.getByRole('button', { name: 'STOP' }).click();
    await page.keyboard.type(' this');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Reply' }).getByText('Please STOP this').waitFor();
    await rowsOn(page).filter({ hasText: 'Please STOP this' }).click();
    await storyOn(page)
      .getByText(/^202 to message.received in \d+ ms.$/)
      .waitFor();
    const events = shown.sandbox.events().map(({ type, data }) => [type, data['text']]);
    expect(events).toContainEqual(['message.received', 'Please STOP this']);
  });

  it('replies say that there is no handler, and are sent once', async () => {
    await shown.send('+12025550103', 'welcome');
    const page = await tabs.open(shown.link);
    const field = page.getByRole('textbox', { name: 'Reply as' });
    await field.fill('  ');
    await field.press('Enter');
    await field.fill('Hello');
    await Promise.all([field.press('Enter'), field.press('Enter')]);
    const row = rowsOn(page).filter({ hasText: 'Hello' });
    await row.getByText('no handler').waitFor();
    await row.click();
    await storyOn(page).getByRole('group', { name: 'Verdict' }).getByText('No handler').waitFor();
    const replies = shown.sandbox.events().filter(({ type }) => type === 'message.received');
    expect(replies.map(({ data }) => data['text'])).toEqual(['Hello']);
  });

  it('a phone stays while someone types, also when another number gets a message', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link);
    const field = page.getByRole('textbox', { name: 'Reply as +12025550101' });
    await field.pressSequentially('Where is');
    await shown.send('+12025550188', 'welcome');
    await rowsOn(page).filter({ hasText: '0188' }).waitFor();
    await page.keyboard.type(' my order?');
    expect(await field.inputValue()).toBe('Where is my order?');
  });

  it('a message is delivered, read or failed on demand', async () => {
    const page = await tabs.open(shown.link);
    const more = async (name: string) => {
      await storyOn(page).getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name, exact: true }).click();
    };
    await shown.send('+12025550101', 'welcome');
    await page.getByRole('article', { name: 'welcome, accepted' }).getByText('✓ sent').waitFor();
    await more('Deliver now');
    await page.getByRole('article', { name: 'welcome, delivered' }).waitFor();
    await more('Mark read');
    await page.getByRole('article', { name: 'welcome, read' }).waitFor();
    await storyOn(page).getByRole('heading', { name: 'Read' }).waitFor();
    await shown.send('+12025550101', 'verification_code', ['123']);
    await rowsOn(page).filter({ hasText: '123' }).click();
    await more('Fail: opted_out');
    await storyOn(page).getByRole('heading', { name: 'Failed: opted_out' }).waitFor();
    await rowsOn(page).getByText('opted_out: the customer has opted out').waitFor();
    const reason = { code: 'opted_out', message: 'the customer has opted out' };
    expect(shown.sandbox.events().at(-1)?.data).toMatchObject({ reason });
  });

  it('failed attempts show three lines of the answer, and equal ones fold', async () => {
    const hook = await receiver((response) => response.writeHead(500).end('TypeError: no order\nat a\nat b\nat c'));
    shown.sandbox.webhooks.add({ url: hook.url });
    shown.sandbox.trigger('order.paid');
    for (let at = 0; at < 4; at++) await shown.sandbox.time.advance('next');
    const page = await tabs.open(shown.link);
    const steps = storyOn(page).getByRole('listitem').filter({ hasText: '127.0.0.1' });
    await steps.first().getByText('TypeError: no order\nat a\nat b', { exact: true }).waitFor();
    await steps.getByText(/^retry \d, in \d+ ms, same answer, × 3$/).waitFor();
    await storyOn(page).getByText('Your handler answered 500: TypeError: no order').waitFor();
    await expect(
      storyOn(page)
        .getByText(/^\+\d+ (m|h)$/)
        .all(),
    ).resolves.toHaveLength(1);
  });

  it('the answer of the handler behind a listener counts', async () => {
    const { url } = await receiver();
    shown.sandbox.webhooks.add({ url });
    await shown.send('+12025550111', 'welcome');
    await shown.sandbox.time.advance(400);
    const event = shown.sandbox.events()[0]?.id ?? '';
    const body = 'TypeError: order is undefined\n    at hook.js:12';
    const forward = { event, port: Number(new URL(url).port), url: 'http://localhost:3000/hook' };
    shown.sandbox.reportForwards([{ ...forward, status: 500, body, took: 12 }]);
    const page = await tabs.open(shown.link);
    await storyOn(page).getByText('Your handler answered 500: TypeError: order is undefined').waitFor();
    const step = storyOn(page).getByRole('listitem').filter({ hasText: 'localhost:3000/hook' });
    await step.getByText('at hook.js:12').waitFor();
    await rowsOn(page).getByText('500', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Problems 1' }).count()).toBe(1);
  });

  it('a phone has its messages also if they are older than what the page has', async () => {
    await shown.send('+12025550111', 'verification_code', ['4711']);
    const [first] = shown.sandbox.messages();
    for (let at = 0; at < 600; at++) await shown.send(`+1202556${1_000 + at}`, 'welcome');
    const page = await tabs.open(shown.link);
    await rowsOn(page).first().waitFor();
    await page.goto(`${shown.url}/__sandbox/#activity/${first?.id}`);
    await storyOn(page).getByText('POST send-template → 200').waitFor();
    await page.goto(`${shown.url}/__sandbox/#activity/%2B12025550111`);
    const message = page.getByRole('article', { name: 'verification_code' });
    await expect.poll(() => message.innerText()).toContain('Your code is 4711.');
  });

  it.each([
    ['markup', '<img src=x onerror="document.title=1"><script>alert(1)</script>'],
    ['a right-to-left override', '\u202Egnp.exe', '\\u202egnp.exe'],
    ['control characters', 'a\u0007\u009B31m\u200B\u2066b\tc', 'a\\u0007\\u009b31m\\u200b\\u2066b\tc'],
    ['joined emoji and Arabic', '👩‍👩‍👧 شكرا'],
    ['200 KB', 'x'.repeat(200_000)],
  ])('texts stay text with %s', async (_, text, marked = text) => {
    const hook = await receiver((response) => response.writeHead(500).end(text));
    shown.sandbox.webhooks.add({ url: hook.url });
    shown.sandbox.seed({ contacts: [{ phone: '+12025550101', name: `Ada ${text.slice(0, 100)}` }] });
    await shown.send('+12025550101', 'verification_code', [text]);
    shown.sandbox.trigger('message.received', { from: '+12025550101', text });
    await shown.sandbox.settled();
    const page = await tabs.open(shown.link);
    const reply = page.getByRole('article', { name: 'Reply' });
    await expect.poll(() => reply.locator('.text').textContent()).toBe(marked);
    const message = page.getByRole('article', { name: 'verification_code' });
    await expect.poll(() => message.locator('.text').textContent()).toBe(`Your code is ${marked}.`);
    await storyOn(page).getByText('Your handler answered 500').waitFor();
    await rowsOn(page).first().getByText('Ada ').waitFor();
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.evaluate('/[\\u0007\\u009b\\u200b\\u202e\\u2066]/.test(document.body.innerText)')).toBe(false);
    const wide = `[...document.querySelectorAll('html, .list, .story, .chat, .device')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ className }) => className)`;
    expect(await page.evaluate(wide)).toEqual([]);
    expect(await page.title()).toContain('SANDBOX');
  });
});
