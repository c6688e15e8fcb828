// The sandbox's page in chromium: what an open page costs the API, how soon a message appears, and how 5,000 scroll.
//   node bench/page.mjs [--quick] [api] [appears] [many]
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { load } from './rig/load.mjs';
import { kinds, requestsOf, startSandbox } from './rig/sandbox.mjs';
import { at, measure, megabytes, milliseconds, takeTurns } from './rig/table.mjs';

const kind = 'POST send-template';
const thread = 'phones/+12025550101';

await measure('In chromium, which takes CPU of the same machine.', { api, appears, many });

async function openPage(sandbox, place) {
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(sandbox.page);
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (place) await page.goto(`${sandbox.url}/__sandbox/#${place}`);
  return page;
}

/** The page is open only while its sandbox is measured: it would take CPU of the other's turns. */
async function api(isQuick) {
  const [without, open] = [await startSandbox('no page'), await startSandbox('an open page')];
  const settings = isQuick ? { rounds: 3, seconds: 60 } : { rounds: 9, seconds: 150 };
  const { beside } = await takeTurns([without, open], settings, async (sandbox) => {
    const page = sandbox === open ? await openPage(sandbox) : undefined;
    // It first gets all that the sandbox has.
    await sleep(page ? 2_000 : 0);
    const result = await load(sandbox, requestsOf(kind, sandbox.key, isQuick ? 16_000 : 40_000));
    await page?.context().browser().close();
    return result;
  });
  const why = 'a watcher must not slow the tests';
  return [{ what: `${kind}, an open page`, ...beside(open, without), least: 0.8, why }];
}

/** The time from the answer to a request until its message is on the page. */
async function appears(isQuick) {
  const sandbox = await startSandbox('sandbox');
  const page = await openPage(sandbox, thread);
  // Notes when each text was there first.
  await page.evaluate(() => {
    globalThis.seen = new Map();
    new MutationObserver(() => {
      for (const [text] of document.body.innerText.matchAll(/number \d+ end/g))
        if (!seen.has(text)) seen.set(text, performance.timeOrigin + performance.now());
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  const answered = new Map();
  for (let n = 0; n < (isQuick ? 100 : 500); n++) {
    const { path, headers, ...request } = kinds[kind](`number ${n} end`);
    const all = { ...headers, authorization: `Bearer ${sandbox.key}` };
    const { ok } = await fetch(sandbox.url + path, { ...request, headers: all });
    if (!ok) throw new Error('a message was refused');
    answered.set(`number ${n} end`, performance.timeOrigin + performance.now());
    await sleep(50);
  }
  await page.waitForFunction((last) => seen.has(last), [...answered.keys()].at(-1));
  const seen = await page.evaluate(() => [...globalThis.seen]);
  const took = seen.map(([text, time]) => Math.max(0, time - answered.get(text)));
  await page.context().browser().close();
  const figure = { figure: at(0.95, took), show: milliseconds, note: `p50 ${milliseconds(at(0.5, took))}` };
  const why = 'a person who just sent a message looks for it';
  return [{ what: 'from the response to the page, p95', ...figure, most: 250, why }];
}

/** The memory of a page, and its frames while it scrolls, beside a page with a few messages. */
async function many() {
  const [few, full] = [await scrolled(64), await scrolled(5_000)];
  const memory = { figure: full.memory, show: megabytes, note: `${megabytes(few.memory)} with 64` };
  const frames = { value: milliseconds(full.frame), rival: `64 messages: ${milliseconds(few.frame)}` };
  const smooth = { most: 1.5, why: 'scrolling stays smooth, however long the list is' };
  return [
    { what: 'memory of the page, 5,000 messages', ...memory, most: 150e6, why: 'one tab among many, open all day' },
    { what: 'frame while scrolling 5,000 messages, p95', ...frames, ratios: [full.frame / few.frame], ...smooth },
  ];
}

async function scrolled(count) {
  const sandbox = await startSandbox('sandbox');
  await load(sandbox, requestsOf(kind, sandbox.key, count));
  const page = await openPage(sandbox, thread);
  await page.locator('.items').hover();
  await sleep(1_000);
  await page.evaluate(() => {
    globalThis.frames = [performance.now()];
    const note = (time) => void (globalThis.frames.push(time) && requestAnimationFrame(note));
    requestAnimationFrame(note);
  });
  for (let step = 0; step < 100; step++) {
    await page.mouse.wheel(0, step < 50 ? -300 : 300);
    await sleep(16);
  }
  const times = await page.evaluate(() => globalThis.frames);
  const frames = times.slice(1).map((time, n) => time - times[n]);
  await (await page.context().newCDPSession(page)).send('HeapProfiler.collectGarbage');
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const shown = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateMemory(id));
  await page.context().browser().close();
  return { frame: at(0.95, frames), memory: Math.max(...shown) };
}

/** Without what a process shares with others of the browser. */
function privateMemory(pid) {
  const lines = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_\w+:\s+(\d+) kB$/gm);
  return [...lines].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1_024, 0);
}
