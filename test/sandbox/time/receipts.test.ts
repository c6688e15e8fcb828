import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../src/sandbox/time/clock.ts';
import { testNumbers } from '../../../src/sandbox/events/receipts.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { memoryFile, calls, order, paths, start } from '../calls.ts';

describe('receipts', () => {
  it('are the same for the same seed', async () => {
    const [a, b] = [await journey('one'), await journey('one')];
    expect(a).toEqual(b);
    expect(await journey('two')).not.toEqual(a);
  });

  it('that were due while it did not run come right after the start, in order', async () => {
    const file = memoryFile();
    const { post, sandbox } = calls({ file });
    await post(paths.send, { ...order, to: testNumbers.delivers5sLater });
    await post(paths.send, order);
    sandbox.close();
    const clock = manualClock(start + 60_000);
    const again = createSandbox({ seed: 'a seed', clock, file });
    expect(again.keys).toMatchObject({ sandbox: sandbox.keys.sandbox, live: sandbox.keys.live });
    await clock.advance(0);
    expect(again.messages()).toMatchObject([{ status: 'read' }, { status: 'read' }]);
    expect(again.events().map(({ at }) => at - start)).toEqual([
      expect.any(Number),
      expect.any(Number),
      5_000,
      expect.any(Number),
    ]);
    expect(new Set(again.events().map(({ id }) => id)).size).toBe(4);
    expect(sandbox.events()).toEqual([]);
  });
});

async function journey(seed: string): Promise<unknown> {
  const { post, sandbox, clock } = calls({ seed });
  await post(paths.send, order);
  await post(paths.contacts, { phone: '+12025550142' });
  await clock.advance(10_000);
  return [sandbox.events(), sandbox.messages(), sandbox.audit(sandbox.keys.sandbox)];
}
