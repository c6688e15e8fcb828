import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome, openHostile } from '../support/fake-service.ts';
import { objects } from '../support/json-lines.ts';

const broken = () =>
  openHostile((_, __, response) => response.writeHead(500).end('{"message":"a '.padEnd(90, 'long ')));

describe('the report of doctor', () => {
  it('shows the status of each check, with its fix below', async () => {
    const { stdout } = await cli(['doctor'], { home: newHome(), node: '24.1.0' });
    expect(stdout).toContain('This machine\n  ok    node        24.1.0\n');
    expect(stdout).toMatch(/^ {2}fail {2}caller {6}no profile is in use\n {22}add one with bizmsg login/m);
    expect(stdout).toMatch(/\n\nNo API calls made\.\n1 failure\.\n$/);
  });

  it('looks the same in a pipe', async () => {
    const caller = await broken();
    const [piped, shown] = [
      await cli(['doctor', '--profile', 'local'], caller),
      await cli(['doctor', '--profile', 'local', '--no-color'], { ...caller, terminal: 200 }),
    ];
    expect(piped.stdout).toBe(shown.stdout);
  });

  it.each([40, 60, 80])('fits a terminal of %i columns, except for long words', async (terminal) => {
    const { stdout } = await cli(['doctor', '--no-color'], { ...(await broken()), terminal });
    const long = stdout.split('\n').filter((line) => line.length > terminal);
    expect(long.filter((line) => /\S\s+\S/.test(line))).toEqual([]);
  });

  it('shows a fix that several checks share once, below the last', async () => {
    const { stdout } = await cli(['doctor'], await broken());
    expect(stdout.match(/contact the support/g)).toHaveLength(1);
    expect(stdout).toMatch(/fail {2}campaigns .*\n.*contact the support/);
  });

  it.each(['ndjson', 'csv', 'tsv'])('has one check per line in %s', async (form) => {
    const { stdout } = await cli(['doctor', '-o', form], await broken());
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(15);
    expect(lines[0]).toContain(form === 'ndjson' ? '"group":"machine"' : 'name');
  });

  it('supports --columns and --query', async () => {
    const caller = await broken();
    const columns = await cli(['doctor', '-o', 'ndjson', '--columns', 'name,status'], caller);
    const query = await cli(['doctor', '--query', 'checks[?status==`fail`].name'], caller);
    expect(objects(columns.stdout)[0]).toEqual({ name: 'node', status: expect.any(String) });
    expect(query.stdout).toBe('contacts\ntemplates\ncampaigns\n');
  });
});
