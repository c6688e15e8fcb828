import { describe, expect, it } from 'vitest';
import { local } from './sandbox-rig.ts';

const send = 'send-template +12025550101 welcome --profile local --retries 0';
const patience = (kind: string) => (kind === 'hang' ? ' --timeout 300ms' : '');

describe('sandbox fault', () => {
  it('adds, lists with counts, and clears', async () => {
    const { run } = await local();
    const { stdout: id } = await run('sandbox fault send-template=500 --times 3 -o id');
    await run('sandbox fault requests=10ms --after');
    await run('sandbox fault message,order.paid=bad-signature message.read=5s');
    await run(send);
    const { stdout } = await run('sandbox fault --columns on,what,when,injected,expires --no-header');
    expect(stdout.split('\n')).toEqual([
      'send-template\tstatus 500\tbefore\t1\tafter 3 injections',
      'send-template,contacts-list,contacts-create,templates-list,campaigns-list\tlatency 0.01s\tafter\t0\tnever',
      'message.received,message.delivered,message.read,message.failed,order.paid\tbad-signature\t\t0\tnever',
      'message.read\tdelay 5s\t\t0\tnever',
      '',
    ]);
    expect((await run('sandbox status --columns faults --no-header')).stdout).toBe('4\n');
    expect((await run(`sandbox fault clear ${id.trim()}`)).stdout).toBe(`cleared\n${id}`);
    expect((await run(`sandbox fault clear ${id.trim()}`)).code).toBe(5);
    expect((await run('sandbox fault clear --no-header')).stdout).toMatch(/^(flt_\w+\n){3}$/);
    expect((await run('sandbox fault', { terminal: 80 })).stdout).toBe('No faults\n');
    expect((await run('sandbox status')).stdout).not.toContain('faults');
  });

  it('appears in the log of requests, with its effect', async () => {
    const { run } = await local();
    const { stdout: id } = await run('sandbox fault campaigns-list=504 -o id');
    await run('campaigns list --profile local --retries 0');
    const { stdout } = await run('sandbox log --type requests -o json');
    expect(JSON.parse(stdout)).toMatchObject([{ status: 504, fault: id.trim(), detail: 'status 504, not executed' }]);
  });

  it.each([
    ['send-template', 'does not say what fails', 'such as send-template=500'],
    ['sned-template=hang', 'is not one of send-template, contacts-list', 'did you mean send-template?'],
    ['events,send-template=drop', 'has endpoints and events', ''],
    ['send-template=drop', '"drop" is not a fault of an endpoint', '2s, reset or hang'],
    ['message=hang', '"hang" is not a fault of an event', 'duplicate or bad-signature'],
    ['requests=200', '"200" is not a fault of an endpoint', '400 to 599'],
    ['events=drop --after', '--after is for endpoints, not for events', ''],
    ['requests=hang --times 0', 'is too small', ''],
  ])('%s is exit 2', async (line, reason, hint) => {
    const { sandbox, run } = await local();
    const { code, stderr, stdout } = await run(`sandbox fault ${line}`);
    expect([code, stdout, sandbox.faults.list()]).toEqual([2, '', []]);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(hint);
  });
});

it.each(['reset', '500', '503', 'hang'])(
  'a fault after the message was sent %s makes send-template exit 13; the message is sent once',
  async (kind) => {
    const { sandbox, run } = await local();
    await run(`sandbox fault send-template=${kind} --after`);
    const { code, stdout, stderr } = await run(send + patience(kind));
    expect([code, stdout, sandbox.messages().length]).toEqual([13, '', 1]);
    const hints = [
      '  it may have been done: check before you repeat it',
      '  bizmsg sandbox log shows what the sandbox did',
      '  the same command sends it once more',
    ];
    expect(stderr.split('\n').slice(-4)).toEqual([...hints, '']);
  },
);

it('the error of a request names the fault that answered it', async () => {
  const { run } = await local();
  const { stdout: id } = await run('sandbox fault contacts-list=503 -o id');
  const { stderr } = await run('contacts list --profile local --retries 0');
  expect(stderr).toContain(`: injected by fault ${id}`);
});
