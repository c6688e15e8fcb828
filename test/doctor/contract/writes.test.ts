import { describe, expect, it } from 'vitest';
import { cli } from '../../support/cli.ts';
import { callerOf, newHome } from '../../support/fake-service.ts';
import { examine, key, openService, refused, send, writing } from './rig.ts';

const liveKey = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';

describe('a write', () => {
  const posted = (seen: Awaited<ReturnType<typeof openService>>['seen']) =>
    seen.filter(({ body }) => body.includes('+12025550101')).map(({ url, body }) => [url, body]);

  it('needs confirmation with a live key', async () => {
    const { url, seen } = await openService();
    const env = callerOf(url, liveKey);
    const declined = await examine(url, writing, { env });
    expect([declined.code, seen]).toEqual([11, []]);
    const confirmed = await examine(url, [...writing, '--yes'], { env });
    expect([confirmed.code, posted(seen).length]).toEqual([0, 2]);
  });

  it('without a template creates only the contact, with the given fields', async () => {
    const { url, seen } = await openService();
    const { clauses } = await examine(url, [
      '--allow-writes',
      '2',
      '--to',
      '+12025550101',
      '--set',
      'tel=+12025550101',
      '--set',
      'name=Doctor',
    ]);
    expect(posted(seen)).toEqual([['/api/public/contacts', '{"tel":"+12025550101","name":"Doctor"}']]);
    expect([clauses.get('send-status')?.verdict, clauses.get('contact-created')?.verdict]).toEqual([
      'not tried',
      'holds',
    ]);
  });

  it('with an unknown result ends with 13, after the report', async () => {
    const { url } = await openService((asked, reply) =>
      asked.path === send && reply.status === 200 ? { ...reply, breaks: true } : undefined,
    );
    const { code, clauses, calls } = await examine(url, writing);
    expect([code, clauses.get('send-status')?.verdict, calls]).toEqual([13, 'unclear', 21]);
  });

  it('that is refused for an unknown template is no difference', async () => {
    const { url } = await openService((asked, reply) =>
      asked.path === send && reply.status === 200 ? refused(404) : undefined,
    );
    const { code, clauses } = await examine(url, writing);
    expect([code, clauses.get('send-status')?.verdict]).toEqual([0, 'unclear']);
  });
});

it.each([
  ['may be sent afterwards if the service refused it', 404, 0],
  ['is not sent once more if the service accepted it', 200, 11],
])('a live message of the doctor %s', async (_, status, exit) => {
  let isDoctor = true;
  const { url, seen } = await openService((asked, reply) =>
    isDoctor && asked.path === send && reply.status === 200 && status !== 200 ? refused(status) : undefined,
  );
  const home = newHome();
  const env = callerOf(url, liveKey);
  await examine(url, [...writing, '--yes'], { home, env });
  isDoctor = false;
  const before = seen.length;
  const { code } = await cli(['send-template', '+12025550101', 'welcome'], { home, env });
  expect([code, seen.length - before]).toEqual([exit, exit === 0 ? 1 : 0]);
});

describe('the command line', () => {
  it.each([
    [['doctor', '--to', '+12025550101'], 'add --contract'],
    [['doctor', '--allow-writes', '1'], 'add --contract'],
    [['doctor', '--contract', '--template', 'welcome'], 'add --allow-writes'],
    [['doctor', '--contract', '--allow-writes', '1'], 'add --to'],
    [['doctor', '--contract', '--allow-writes', '0', '--to', '+12025550101'], 'add --allow-writes'],
    [['doctor', '--contract', '--dry-run'], 'remove it'],
  ])('%j is refused', async (argv, hint) => {
    const { url, seen } = await openService();
    const { code, stderr } = await cli(argv, { home: newHome(), env: callerOf(url, key) });
    expect([code, stderr.includes(hint), seen]).toEqual([2, true, []]);
  });
});
