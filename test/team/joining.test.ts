import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { batch, peopleText, phoneOf, writePeople } from '../e2e/runs-rig.ts';
import { bin } from '../support/bin.ts';
import { errorIn } from '../support/json-lines.ts';
import { missingPostgres, newTeam } from './rig.ts';

/** A machine that sent to three people before it joined a team; its file has two more. */
async function joined() {
  const team = await newTeam();
  const machine = team.machine();
  const file = writePeople(machine, 3);
  expect((await machine.bin([...batch(file, '--job', 'may'), '--no-team'])).code).toBe(0);
  writeFileSync(file, peopleText(5));
  return { team, machine, command: batch(file, '--job', 'june') };
}

describe.skipIf(missingPostgres !== undefined)('a machine that sent the template before it joined a team', () => {
  it('stops until the user decides about these people', async () => {
    const { team, machine, command } = await joined();
    const { code, stderr } = await machine.bin(command);
    expect([code, errorIn(stderr)]).toMatchObject([
      11,
      { code: 'sent-before', hint: expect.stringContaining('--skip') },
    ]);
    expect(team.service.asked).toHaveLength(3);
  });

  it('leaves them out with --skip-sent, and goes on without it', async () => {
    const { team, machine, command } = await joined();
    expect((await machine.bin([...command, '--skip-sent', '--first', '4'])).code).toBe(0);
    expect(team.service.asked.map(({ phone }) => phone).slice(3)).toEqual([phoneOf(4), phoneOf(5)]);
    expect((await machine.bin([...command, '--skip-sent'])).code).toBe(0);
    expect(team.service.asked).toHaveLength(5);
  });

  it('sends to all with --again', async () => {
    const { team, machine, command } = await joined();
    expect((await machine.bin([...command, '--again'])).code).toBe(0);
    expect(team.service.asked).toHaveLength(8);
  });

  it('cannot join with an unfinished run', async () => {
    const team = await newTeam(({ before }) => ({ reply: before === 0 ? 401 : 200 }));
    const { home, env } = team.machine();
    const { BIZMSG_API_KEY: key = '', BIZMSG_BASE_URL: url = '' } = env;
    const run = async (words: readonly string[], input = '') => bin(words, { home, input, cwd: home });
    await run(['login', '--no-check', '--profile', 'acme', '--base-url', url, '--key-stdin'], key);
    await run(['keys', 'switch-mode', 'live', '--yes']);
    expect((await run(batch(writePeople({ home }, 3)))).code).toBe(4);
    const { code, stderr } = await run(['profiles', 'set', 'acme', '--team-stdin', '-o', 'json'], team.line);
    expect([code, errorIn(stderr)]).toMatchObject([
      11,
      { code: 'run-unfinished', hint: expect.stringContaining('close') },
    ]);
  });
});
