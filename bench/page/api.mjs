// Requests per second with a page open, beside the same sandbox without one.
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../sandbox/load.mjs';
import { create, send } from '../sandbox/requests.mjs';
import { freeze, startSandbox } from '../sandbox/sandboxes.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { perSecond } from '../rig/table.mjs';
import { noBrowser, openPage } from './browser.mjs';

/** Milliseconds. */
const settling = 2_000;

export async function api(isQuick) {
  const without = { ...(await startSandbox('no page')), isOpen: false };
  const withStream = { ...(await startSandbox('a stream that is read')), follow };
  const withPage = noBrowser ? undefined : { ...(await startSandbox('an open page')), follow: openPage };
  const followers = [withStream, ...(withPage ? [withPage] : [])];
  const rows = [];
  for (const sandbox of [without, ...followers]) await freeze(sandbox);
  for (const kind of [create, send]) {
    const settings = isQuick ? { rounds: 3, seconds: 60 } : { rounds: 9, seconds: 150 };
    const { median: of, pace } = await takeTurns([without, ...followers], settings, (sandbox) =>
      followed(sandbox, kind, isQuick ? 16_000 : 40_000),
    );
    for (const one of followers) {
      const value = perSecond(of(one, 'perSecond'));
      const note = `${perSecond(of(without, 'perSecond'))} there`;
      rows.push({
        what: `${kind.name}, ${one.name}`,
        value,
        ...pace(one, without),
        rival: 'no page',
        least: 0.9,
        note,
      });
    }
  }
  await Promise.all([without, ...followers].map(({ end }) => end()));
  return [...rows, ...(noBrowser ?? [])];
}

/** The page is open only while its sandbox is measured: it would take CPU of the others' turns. */
async function followed(sandbox, kind, amount) {
  const open = await sandbox.follow?.(sandbox);
  // It first gets all that the sandbox has.
  await sleep(open ? settling : 0);
  const ran = await load(sandbox, kind, amount);
  await open?.end();
  return ran;
}

/** Reads the page's stream in this process, as fast as it comes. */
async function follow({ url, token }) {
  const controller = new AbortController();
  const headers = { 'x-sandbox-token': token };
  const response = await fetch(`${url}/__sandbox/stream`, { headers, signal: controller.signal });
  const reading = read(response.body.getReader()).catch(() => {});
  return {
    async end() {
      controller.abort();
      await reading;
    },
  };
}

async function read(reader) {
  while (!(await reader.read()).done);
}
