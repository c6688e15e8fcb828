// The time from the response to a request until its message is on the page.
import { setTimeout as sleep } from 'node:timers/promises';
import { at } from '../rig/quantiles.mjs';
import { milliseconds } from '../rig/table.mjs';
import { freeze, startSandbox } from '../sandbox/sandboxes.mjs';
import { noBrowser, openPage } from './browser.mjs';

const phone = '+12025550101';
/** Milliseconds between two messages. */
const pause = 50;
const what = 'from the response to the page, p95';

export async function appears(isQuick) {
  if (noBrowser) return [{ what, ...noBrowser }];
  const sandbox = await startSandbox('appears');
  await freeze(sandbox);
  const { page, end } = await openPage(sandbox, `phones/${phone}`);
  await page.evaluate(watch);
  const amount = isQuick ? 100 : 500;
  const answered = [];
  for (let n = 0; n < amount; n++) {
    await send(sandbox, textOf(n));
    answered.push(performance.timeOrigin + performance.now());
    await sleep(pause);
  }
  await page.waitForFunction((last) => seen.has(last), textOf(amount - 1));
  const shown = new Map(await page.evaluate(() => [...seen]));
  const took = Float64Array.from(answered, (time, n) => Math.max(0, shown.get(textOf(n)) - time));
  await end();
  await sandbox.end();
  return [
    {
      what,
      figure: at(0.95, took),
      show: milliseconds,
      most: 250,
      why: 'a person who just sent a message looks for it',
      note: `p50 ${milliseconds(at(0.5, took))}, longest of ${amount} ${milliseconds(at(1, took))}`,
    },
  ];
}

/** Runs on the page: notes when each text was there first. */
function watch() {
  globalThis.seen = new Map();
  new MutationObserver(() => {
    for (const [text] of document.body.innerText.matchAll(/number \d+ end/g))
      if (!seen.has(text)) seen.set(text, performance.timeOrigin + performance.now());
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

function textOf(n) {
  return `number ${n} end`;
}

async function send({ url, key }, text) {
  const { status } = await fetch(`${url}/api/public/messages/send-template`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: phone, template: 'order_update', params: ['Ada', text] }),
  });
  if (status !== 200) throw new Error(`a message was refused: ${status}`);
}
