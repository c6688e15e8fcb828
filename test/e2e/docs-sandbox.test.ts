import { describe, expect, it } from 'vitest';
import { serve } from '../client/servers.ts';
import { bin } from '../support/bin.ts';
import { blocksIn } from '../support/docs.ts';
import { openReader } from './docs-rig.ts';

const [started = ''] = blocksIn('docs/sandbox.md', 'Start it', 1);
const [listed = ''] = blocksIn('docs/sandbox.md', 'Messages', 1);
const [hooked = ''] = blocksIn('docs/sandbox.md', 'Events', 1);
const [moved = ''] = blocksIn('docs/sandbox.md', 'Time', 1);
const [faulty = ''] = blocksIn('docs/sandbox.md', 'Faults', 1);

describe('the page about the sandbox', () => {
  it('lists messages, and shows one', async () => {
    const { follow } = openReader();
    const [sent = '', shown = ''] = listed.split(/^(?=\$ bizmsg sandbox log --type messages --columns)/m);
    expect(await follow(sent)).toEqual([]);
    // The message fails a moment after it was sent.
    await expect.poll(() => follow(shown)).toEqual([]);
  });

  it('starts it, receives events, moves its clock and makes it fail', async () => {
    let status = 500;
    const handler = await serve((_, __, response) => response.writeHead(status).end());
    const here = (block: string) => block.replaceAll(':3000', `:${handler.port}`);
    const { follow, home } = openReader();
    const [sent = '', delivered = ''] = here(hooked).split(/^(?=\$ bizmsg sandbox log --type deliveries)/m);
    expect([await follow(started), await follow(sent)]).toEqual([[], []]);
    await expect.poll(() => handler.seen.length).toBe(1);
    // On a busy machine, the retry after 5 s would come before the page advances the clock.
    await bin(['sandbox', 'clock', 'freeze'], { home });
    expect(await follow(delivered)).toEqual([]);
    await expect.poll(() => handler.seen.length).toBe(2);
    status = 200;
    expect([await follow(here(moved)), await follow(faulty)]).toEqual([[], []]);
  });
});
