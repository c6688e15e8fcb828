// Requests per second with a page open, beside the same sandbox without one.
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../sandbox/load.mjs';
import { send } from '../sandbox/requests.mjs';
import { freeze, startSandbox } from '../sandbox/sandboxes.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { perSecond } from '../rig/table.mjs';
import { noBrowser, openPage } from './browser.mjs';

/** Milliseconds. */
const settling = 2_000;

export async function api(isQuick) {
  const what = `${send.name}, an open page`;
  if (noBrowser) return [{ what, ...noBrowser }];
  const [without, open] = [await startSandbox('no page'), { ...(await startSandbox('a page')), isOpen: true }];
  for (const sandbox of [without, open]) await freeze(sandbox);
  const settings = isQuick ? { rounds: 3, seconds: 60 } : { rounds: 9, seconds: 150 };
  const { median: of, pace } = await takeTurns([without, open], settings, (sandbox) =>
    watched(sandbox, isQuick ? 16_000 : 40_000),
  );
  await Promise.all([without, open].map(({ end }) => end()));
  const value = perSecond(of(open, 'perSecond'));
  const rival = `${without.name}: ${perSecond(of(without, 'perSecond'))}`;
  return [{ what, value, rival, ...pace(open, without), least: 0.8, why: 'a watcher must not slow the tests' }];
}

/** The page is open only while its sandbox is measured: it would take CPU of the other's turns. */
async function watched(sandbox, amount) {
  const page = sandbox.isOpen ? await openPage(sandbox) : undefined;
  // It first gets all that the sandbox has.
  await sleep(page ? settling : 0);
  const ran = await load(sandbox, send, amount);
  await page?.end();
  return ran;
}
