import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { serve } from '../client/servers.ts';
import { calling, rig } from './run-client-rig.ts';

describe('a lookup before a run', () => {
  const atTemplates = async (client: Pick<Client, 'pages'>) => {
    for await (const page of client.pages('listTemplates')) expect(page).toBeDefined();
  };

  it('does not retry', async () => {
    const service = await serve((_, __, response) => response.writeHead(503).end());
    const { context, notes } = rig(calling(service.url));
    await (await context.clientForRun()).tryLookup(atTemplates);
    expect([service.seen.length, notes]).toEqual([1, []]);
  });

  it('gives up without an answer', async () => {
    const service = await serve(() => {});
    const { context } = rig({ ...calling(service.url), isHasty: true });
    await expect((await context.clientForRun()).tryLookup(atTemplates)).resolves.toBeUndefined();
  });

  it('ends when the run stops', async () => {
    const stop = new AbortController();
    const service = await serve(() => stop.abort('SIGINT'));
    const { context } = rig(calling(service.url));
    const client = await context.clientForRun({
      signals: { stop: stop.signal, leave: new AbortController().signal },
    });
    await client.tryLookup(atTemplates);
    expect(service.seen).toHaveLength(1);
  });
});
