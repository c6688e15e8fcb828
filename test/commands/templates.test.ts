import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/fake-service.ts';
import { errorIn } from '../support/json-lines.ts';
import { newWorld } from '../support/world.ts';

const records = [
  { name: 'order_update', language: 'en', body: 'Hello {{1}}, {{2}} is on its way.', status: 'APPROVED' },
];

/** A service that lists these templates, and knows no template to send. */
const listing = (templates: readonly object[]) =>
  openHostile(({ method }, _, response) =>
    method === 'GET'
      ? response.end(JSON.stringify({ data: templates }))
      : response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"no such template"}'),
  );

describe('templates show', () => {
  it('prints the text, the names of the variables, the language and the status', async () => {
    const { run } = await newWorld();
    expect((await run(['templates', 'show', 'order_update'])).stdout).toBe(
      'order_update  en_US  APPROVED\nHello {{1}}, your order {{2}} is on its way.\n  {{1}} name\n  {{2}} order\n',
    );
  });

  it('renders the text with the values of --param', async () => {
    const { run } = await newWorld();
    const { stdout } = await run(['templates', 'show', 'order_update', '-p', 'Ada', '-p', '7', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      text: 'Hello {{1}}, your order {{2}} is on its way.',
      variables: ['name', 'order'],
      message: 'Hello Ada, your order 7 is on its way.',
    });
  });

  it('shows a record of unknown shape as it is', async () => {
    const { stdout } = await cli(
      ['templates', 'show', 'welcome', '-o', 'json'],
      await listing([{ key: 'other' }, { key: 'welcome', parts: [1] }]),
    );
    expect(stdout).toBe('{"key":"welcome","parts":[1]}\n');
  });

  it.each([
    ['order_updat', 'did you mean order_update?'],
    ['zzz', 'bizmsg templates list shows the templates and their status'],
  ])('does not find %s: exit 5, "%s"', async (name, hint) => {
    const { code, stderr } = await cli(['templates', 'show', name, '-o', 'json'], await listing(records));
    expect([code, errorIn(stderr)]).toMatchObject([5, { code: 'template-unknown', hint }]);
  });
});

describe('send-template to a service', () => {
  const send = ['send-template', '+12025550101', 'order_updat', '-p', 'Ada', '-p', '7'];

  it('suggests a template of the last list after a 404', async () => {
    const caller = await listing(records);
    await cli(['templates', 'list'], caller);
    const { code, stderr } = await cli([...send, '-o', 'json'], caller);
    expect([code, errorIn(stderr)]).toMatchObject([5, { hint: 'did you mean order_update?' }]);
  });

  it('names templates list after a 404 if no template is known', async () => {
    const caller = await listing(records);
    const { stderr } = await cli([...send, '-o', 'json'], caller);
    expect(errorIn(stderr)).toMatchObject({ hint: 'bizmsg templates list shows the templates and their status' });
    expect(caller.seen.map(({ method }) => method)).toEqual(['POST']);
  });

  it('with a sandbox key says that no phone gets the message', async () => {
    const caller = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
    const { stdout, stderr } = await cli([...send, '-o', 'table'], caller);
    expect([stdout, stderr]).toEqual([
      'Sent (sandbox) msg_1\n',
      `note: with a sandbox key of ${new URL(caller.url).host}, no message reaches a phone\n`,
    ]);
  });
});

it('a dry run of send-template notes the text of the message, after one GET', async () => {
  const caller = await listing(records);
  const argv = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', '7', '--dry-run', '-o', 'json'];
  expect((await cli(argv, caller)).stderr).toContain('Hello Ada, 7 is on its way.');
  expect(caller.seen.map(({ method }) => method)).toEqual(['GET']);
});
