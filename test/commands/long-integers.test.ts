import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/fake-service.ts';

// All above 2^53, where numbers are rounded.
const [id, negative, beyond] = ['9223372036854775807', '-9007199254740993', '123456789012345678901234567890'];
const contact = `{"id":${id},"phone":"+12025550101","attributes":{"n":${negative},"list":[${beyond}]},"small":7}`;
const parts = `{"n":${negative},"list":[${beyond}]}`;
const csv = `id,phone,attributes,small\n${id},+12025550101,"${parts.replaceAll('"', '""')}",7\n`;

const service = (body: string, status = 200) => openHostile((_, __, response) => response.writeHead(status).end(body));

describe('an integer above 2^53 in a response is printed exactly', () => {
  it.each([
    ['json', `[${contact}]\n`],
    ['ndjson', `${contact}\n`],
    ['csv', csv],
    ['tsv', `id\tphone\tattributes\tsmall\n${id}\t+12025550101\t${parts}\t7\n`],
    ['id', `${id}\n`],
  ])('by contacts list and contacts export as %s', async (format, shown) => {
    const caller = await service(`{"data":[${contact}]}`);
    expect((await cli(['contacts', 'list', '-o', format], caller)).stdout).toBe(shown);
    expect((await cli(['contacts', 'export', '-o', format], caller)).stdout).toBe(shown);
  });

  it('in a table', async () => {
    const { stdout } = await cli(['contacts', 'list', '-o', 'table'], await service(`[${contact},{"id":1}]`));
    expect(stdout.split('\n')[1]).toBe(`${id}  +12025550101  ${parts}      7`);
  });

  it('by contacts create', async () => {
    const created = ['contacts', 'create', '--set', 'phone=+12025550101', '-o'];
    const caller = await service(contact, 201);
    expect((await cli([...created, 'json'], caller)).stdout).toBe(`${contact}\n`);
    expect((await cli([...created, 'id'], caller)).stdout).toBe(`${id}\n`);
  });
});

describe('an integer above 2^53 is sent exactly', () => {
  it('by --set-json, also in a dry run', async () => {
    const caller = await service('{}', 201);
    const create = ['contacts', 'create', '--set-json', `n=${id}`];
    await cli(create, caller);
    expect(caller.seen.map(({ body }) => body)).toEqual([`{"n":${id}}`]);
    const { stdout } = await cli([...create, '--dry-run', '-o', 'json'], caller);
    expect(stdout).toContain(`"body":{"n":${id}}`);
  });

  it('to the report of failed rows', async () => {
    const caller = await service('{"message":"no"}', 400);
    const path = join(caller.home, 'people.ndjson');
    writeFileSync(path, `${contact}\n`);
    expect((await cli(['contacts', 'import', path], caller)).code).toBe(10);
    const { stdout } = await cli(['batches', 'report', '-o', 'ndjson'], caller);
    expect(stdout).toContain(`"id":${id},`);
  });
});
