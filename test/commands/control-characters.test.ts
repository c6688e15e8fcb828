import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/fake-service.ts';
import { listener } from './webhooks-rig.ts';

const acting = 'A\u001b[31m\u009b2J\u007f';
const hidden =
  'B\u202e\u200f\u{e0041}\u2800\ufff9\ufffb\u{e0100}\ufe0e\u{1d173}\u0600\u{110bd}\u{13430}\u{1bca0}x\ufe0f';
/** An emoji form, a keycap, emoji with joiners, and a joiner in Persian. */
const shown = '❤️ 1️⃣ 👨‍👩‍👧 🏳️‍🌈 🕵🏽‍♂️ می‌خواهم';

/** A service that lists one contact with this name. */
const listed = (name: string) =>
  openHostile((_, __, response) => response.end(JSON.stringify([{ id: '1', name, attributes: { name } }])));

const list = ['contacts', 'list', '-o'];

describe.each(['tsv', 'csv', 'json', 'ndjson', 'table'])('through a pipe, as %s', (format) => {
  it.each([undefined, 80])('control characters are escaped, whatever stderr is: %s', async (terminal) => {
    const caller = { ...(await listed(acting)), stdout: 'pipe' as const, ...(terminal && { terminal }) };
    const { code, stdout } = await cli([...list, format], caller);
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/[\0-\u0008\u000b-\u001f\u007f-\u009f]/)]);
  });

  it('characters that hide or reorder text are escaped for a terminal', async () => {
    const caller = { ...(await listed(acting + hidden)), terminal: 80 };
    for (const stdout of [undefined, 'pipe' as const]) {
      const ran = await cli([...list, format], { ...caller, ...(stdout && { stdout }) });
      expect(ran.stdout).toContain('A');
      const shown = ran.stdout.replaceAll(/\u001b\[(1|2|22|32|39)m/g, '');
      for (const mark of `\u001b\u009b\u007f${hidden.slice(1).replace('x', '')}`) expect(shown).not.toContain(mark);
    }
  });

  it('emoji and joiners of other scripts are shown on a terminal', async () => {
    const caller = { ...(await listed(shown)), terminal: 200 };
    for (const stdout of [undefined, 'pipe' as const])
      expect((await cli([...list, format], { ...caller, ...(stdout && { stdout }) })).stdout).toContain(shown);
  });
});

it.each(['tsv', 'csv', 'json', 'ndjson'])('marks stay for a file and for a program, as %s', async (format) => {
  const caller = await listed(hidden);
  for (const given of [{ terminal: 80, stdout: 'file' as const }, {}])
    expect((await cli([...list, format], { ...caller, ...given })).stdout).toContain(hidden);
});

it.each(['json', 'ndjson'])('an escape in %s has the same value', async (format) => {
  const { stdout } = await cli([...list, format], { ...(await listed(acting + hidden)), terminal: 80, stdout: 'pipe' });
  expect([JSON.parse(stdout)].flat()).toMatchObject([{ name: acting + hidden }]);
});

it('the text of an event is escaped in a pipe, and keeps its lines', async () => {
  const { send, run } = await listener();
  await send(`two\n${acting}`);
  expect((await run('webhooks show')).stdout).toContain('two\nA\\u001b[31m\\u009b2J\\u007f');
});

it('characters in an error, and in what api shows, are escaped on a terminal', async () => {
  const caller = { ...(await listed(acting)), terminal: 80 };
  const refused = await cli(['send-template', '+12025550101', acting, '--no-color'], caller);
  const shown = await cli(['api', '/x', '-i', '--no-color'], caller);
  expect(refused.stderr + shown.stdout).toContain('A');
  expect(refused.stderr + shown.stdout).not.toMatch(/[\u001b\u009b\u007f]/);
});

it('api pipes the body unchanged', async () => {
  const { stdout } = await cli(['api', '/x'], await openHostile((_, __, response) => response.end(acting)));
  expect(stdout).toBe(acting);
});
