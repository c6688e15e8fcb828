import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';

describe('a list', () => {
  it.each([
    ['webhooks list --since soon', '--since: "soon" is not a time'],
    ['webhooks list --type order.piad', 'did you mean order.paid?'],
    ['webhooks list --follow -o json', '--follow excludes -o json'],
  ])('%s is exit 2', async (line, reason) => {
    const { code, stdout, stderr } = await cli(line.split(' '), { home: newHome() });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.replace('\n  ', '; ')).toContain(reason);
  });

  it('of nothing that is followed prints nothing', async () => {
    const signal = AbortSignal.abort('SIGINT');
    const { code, stdout, stderr } = await cli(['webhooks', 'list', '-f'], { home: newHome(), signal });
    expect([code, stdout, stderr]).toEqual([0, '', '']);
  });
});
