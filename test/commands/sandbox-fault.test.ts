import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

async function local() {
  const home = newHome();
  const sandbox = await serveLocal(home, { seed: 'a seed' });
  const run = (line: string, terminal?: number) =>
    cli(line.split(' '), { home, ...(terminal !== undefined && { terminal }) });
  const add = (line: string) => run(`sandbox fault add ${line}`);
  return { sandbox, run, add };
}

const send = 'send-template +12025550101 welcome --profile local --retries 0';
const patience = (kind: string) => (kind === '--hang' ? ' --timeout 300ms' : '');

describe('sandbox fault', () => {
  it('adds, lists with counts, and clears', async () => {
    const { add, run } = await local();
    const { stdout: id } = await add('--on send-template --status 500 --times 3');
    await add('--on requests --latency 10ms --after');
    await add('--on message,order.paid --bad-signature');
    await run(send);
    const { stdout } = await run('sandbox fault list --columns on,what,when,matched,injected --no-header');
    expect(stdout).toBe(
      [
        'send-template\tstatus 500\tbefore\t1\t1',
        'requests\tlatency 0.01s\tafter\t1\t0',
        'message,order.paid\tbad-signature\t\t0\t0',
        '',
      ].join('\n'),
    );
    expect((await run('sandbox fault list --columns expires --no-header')).stdout).toBe(
      'after 3 injections\nnever\nnever\n',
    );
    expect((await run('sandbox status --columns faults --no-header')).stdout).toBe('3\n');
    expect((await run(`sandbox fault clear ${id.trim()}`)).stdout).toBe(`Cleared ${id}`);
    expect((await run(`sandbox fault clear ${id.trim()}`)).code).toBe(5);
    expect((await run('sandbox fault clear')).stdout).toMatch(/^Cleared flt_\w+, flt_\w+\n$/);
    expect((await run('sandbox fault clear')).stdout).toBe('No faults to clear\n');
    expect((await run('sandbox status')).stdout).not.toContain('faults');
  });

  it('describes the added fault on a terminal', async () => {
    const { run } = await local();
    const { stdout } = await run('sandbox fault add --on contacts-list,contacts-create --hang --after --no-color', 120);
    expect(stdout).toMatch(/^Added fault flt_\w+: hang on contacts-list,contacts-create after it is processed\n$/);
  });

  it('marks an expired fault', async () => {
    const { add, run } = await local();
    await add('--on send-template --status 500 --times 1');
    await run(send);
    expect((await run('sandbox fault list --columns injected,expires --no-header')).stdout).toBe('1\texpired\n');
  });

  it('appears in the request log, with its effect', async () => {
    const { add, run } = await local();
    const { stdout: id } = await add('--on campaigns-list --status 504');
    await run('campaigns list --profile local --retries 0');
    const { stdout } = await run('sandbox requests -o json');
    expect(JSON.parse(stdout)).toMatchObject([{ status: 504, fault: id.trim(), detail: 'status 504, not executed' }]);
  });

  it.each([
    ['--hang', '--on is missing', '--on send-template'],
    ['--on send-template', 'specify the fault', '--status 500'],
    ['--on send-template --hang --reset', '--reset, --hang exclude each other', ''],
    ['--on sned-template --hang', 'is neither an endpoint nor an event', 'did you mean send-template?'],
    ['--on contacts --hang', 'is neither an endpoint nor an event', 'did you mean contacts-list or contacts-create?'],
    ['--on message.raed --drop', 'is neither an endpoint nor an event', 'did you mean message.read?'],
    ['--on contacts-list, --hang', '"" is neither an endpoint nor an event', 'use send-template'],
    ['--on everything-there-is --hang', 'is neither an endpoint nor an event', 'templates-list'],
    ['--on events,send-template --drop', '--drop is for events, not for send-template', '--latency, --reset'],
    ['--on requests,message --hang', '--hang is for endpoints, not for message', '--drop, --delay'],
    ['--on events --drop --after', '--after is for endpoints, not for events', ''],
    ['--on requests --status 200', 'is not an error status', '400 to 599'],
    ['--on requests --hang --times 0', 'is too small', ''],
  ])('add %s is exit 2', async (line, reason, hint) => {
    const { sandbox, add } = await local();
    const { code, stderr, stdout } = await add(line);
    expect([code, stdout, sandbox.faults.list()]).toEqual([2, '', []]);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(hint);
  });
});

describe('a fault after the message was sent', () => {
  it.each(['--reset', '--status 500', '--status 503', '--hang'])(
    '%s makes send-template exit 13; the message is sent once',
    async (kind) => {
      const { sandbox, add, run } = await local();
      await add(`--on send-template ${kind} --after`);
      const { code, stdout, stderr } = await run(send + patience(kind));
      expect([code, stdout, sandbox.messages().length]).toEqual([13, '', 1]);
      expect(stderr).toContain('it may have been done');
      expect(stderr).toContain('bizmsg sandbox requests');
    },
  );
});

describe('a fault', () => {
  it.each([
    ['--status 500', 8],
    ['--status 502', 8],
    ['--reset', 9],
    ['--hang', 9],
    ['--status 429', 7],
    ['--latency 10ms', 0],
  ])('%s makes a GET exit %d', async (kind, exit) => {
    const { add, run } = await local();
    await add(`--on requests ${kind}`);
    expect((await run(`contacts list --profile local --retries 0${patience(kind)}`)).code).toBe(exit);
  });
});
