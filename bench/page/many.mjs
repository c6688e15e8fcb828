// A page with 5,000 messages: its memory, and its frames while it scrolls, beside a page with a few.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { at } from '../rig/quantiles.mjs';
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { load } from '../sandbox/load.mjs';
import { send } from '../sandbox/requests.mjs';
import { freeze, startSandbox } from '../sandbox/sandboxes.mjs';
import { noBrowser, openPage } from './browser.mjs';

const phone = '+12025550101';
const amount = 5_000;
/** Steps of the wheel, each 300 pixels. */
const steps = 100;

export async function many() {
  const what = `memory of the page, ${whole(amount)} messages`;
  if (noBrowser) return [{ what, ...noBrowser }];
  const [few, full] = [await opened(64), await opened(amount)];
  return [
    {
      what,
      figure: full.memory,
      show: megabytes,
      most: 150e6,
      why: 'one tab among many, open all day',
      note: `${megabytes(few.memory)} with 64`,
    },
    {
      what: `frame while scrolling ${whole(amount)} messages, p95`,
      value: milliseconds(at(0.95, full.frames)),
      rival: `64 messages: ${milliseconds(at(0.95, few.frames))}`,
      ratios: [at(0.95, full.frames) / at(0.95, few.frames)],
      most: 1.5,
      why: 'scrolling stays smooth, however long the list is',
    },
  ];
}

async function opened(count) {
  const sandbox = await startSandbox('many');
  await freeze(sandbox);
  await load(sandbox, send, count);
  const { page, end } = await openPage(sandbox, `phones/${phone}`);
  const list = page.locator('.items');
  await list.waitFor();
  await list.hover();
  await sleep(1_000);
  const frames = page.evaluate(framesFor, steps * 16);
  for (let step = 0; step < steps; step++) {
    await page.mouse.wheel(0, step < steps / 2 ? -300 : 300);
    await sleep(16);
  }
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const measured = { frames: Float64Array.from(await frames), memory: await memoryOf(page) };
  await end();
  await sandbox.end();
  return measured;
}

/** Runs on the page: the milliseconds between frames. */
function framesFor(milliseconds) {
  return new Promise((resolve) => {
    const frames = [];
    let last = performance.now();
    const end = last + milliseconds;
    const frame = (now) => {
      frames.push(now - last);
      last = now;
      if (now < end) requestAnimationFrame(frame);
      else resolve(frames);
    };
    requestAnimationFrame(frame);
  });
}

/** The memory of the process that shows the page, without what it shares with other processes of the browser. */
async function memoryOf(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const shown = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateMemory(id));
  return Math.max(...shown);
}

function privateMemory(pid) {
  const found = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_\w+:\s+(\d+) kB$/gm);
  return [...found].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1_024, 0);
}
