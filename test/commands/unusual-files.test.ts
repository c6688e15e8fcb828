import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

function file(name: string, content: string | Uint8Array): string {
  const path = join(world.home, name);
  writeFileSync(path, content);
  return path;
}

describe('a file named .csv', () => {
  it.each([
    ['an HTML page', '<!DOCTYPE html>\n'],
    ['a Parquet file', 'PAR1\u0015\u0004'],
  ])('that is %s is refused', async (what, content) => {
    const ran = await world.run(['contacts', 'import', file('export.csv', content)]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`export.csv" is ${what}`) });
  });
});

describe('a delimiter at the end of each line', () => {
  const rows = 'phone,name,\n+12025550101,Ada,\n+12025550102,Bo,x\n';

  it('is ignored with a note; only a value after it makes a bad row', async () => {
    const path = file('trailing.csv', rows);
    const ran = await world.run(['contacts', 'import', path]);
    expect(ran).toMatchObject({ code: 10, stderr: expect.stringContaining('note: the last column has no name') });
    expect(ran.stdout).toContain('it has "x" in column 3, which has no name in the header');
    const list = JSON.parse((await world.run(['contacts', 'list', '-o', 'json'])).stdout);
    expect(list).toContainEqual(expect.objectContaining({ phone: '+12025550101', name: 'Ada' }));
    expect(readFileSync(join(world.home, 'trailing.failed.csv'), 'utf8')).toMatch(/^phone,name,bizmsg_error\n/);
  });

  it('may be repeated', async () => {
    const path = file('excel.csv', 'phone;name;;;\n+12025550103;Cy;;;\n');
    const ran = await world.run(['contacts', 'import', path]);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('note: the last 3 columns have no name') });
  });
});
