// CPU of the listener for each event, from the request to the printed line, beside a server that only verifies and prints.
import { join } from 'node:path';
import { end, rivals, start } from '../rig/processes.mjs';

import { takeTurns } from '../rig/turns.mjs';
import { eventsNow, secret } from './events.mjs';
import { startListener } from './listeners.mjs';
import { trial } from './trial.mjs';

const amount = 20_000;

export async function cpu(isQuick) {
  const [own, least] = [await startListener(), await startVerifier()];
  const { median, ratios } = await takeTurns([own, least], { rounds: isQuick ? 3 : 9, seconds: 90 }, (server) =>
    trial(server, eventsNow(amount)),
  );
  await Promise.all([own, least].map((server) => server.end()));
  // Where the system does not report CPU.
  if (median(own, 'cpu') === undefined) return [];
  return [
    {
      what: 'CPU for each event',
      value: `${median(own, 'cpu').toFixed(0)} µs`,
      ratios: ratios(own, least, 'cpu'),
      rival: least.name,
      note: `${median(least, 'cpu').toFixed(0)} µs there`,
    },
  ];
}

async function startVerifier() {
  const { child, lines, line } = await start([join(rivals, 'verifying-server.cjs'), secret]);
  return {
    name: 'node:http, verify and print',
    url: `http://127.0.0.1:${line}`,
    pid: child.pid,
    lines,
    numberIn: ({ n }) => n,
    end: () => end(child),
  };
}
