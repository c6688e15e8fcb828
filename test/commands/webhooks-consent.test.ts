import { expect, it } from 'vitest';
import { listener } from './webhooks-rig.ts';

const elsewhere = 'https://hooks.example.com';
const lines = [
  [`webhooks listen --port 0 --forward-to ${elsewhere}/a`, 'Forward events'],
  [`webhooks replay e --to ${elsewhere}/a`, 'Send events'],
] as const;

it.each(lines)('sends nothing to another machine without confirmation: %s', async (line, question) => {
  const { run, send } = await listener();
  await send('1');
  const { code, stderr } = await run(line);
  expect([code, stderr]).toEqual([11, expect.stringContaining(`needs confirmation: ${question} to ${elsewhere}?`)]);
});

it.each(lines)('sends nothing to another machine with BIZMSG_LOCAL_ONLY=1, even with --yes: %s', async (line) => {
  const { run, send } = await listener();
  await send('1');
  const { code, stderr } = await run(line.replace('webhooks', '--yes webhooks'), { env: { BIZMSG_LOCAL_ONLY: '1' } });
  expect([code, stderr]).toEqual([11, expect.stringContaining(`BIZMSG_LOCAL_ONLY=1 refuses ${elsewhere}`)]);
});
