import { describe, expect, it } from 'vitest';
import { commands } from '../support/commands.ts';
import { openMachine } from './examples-rig.ts';

/** Examples that prompt on a terminal, follow, or need a server; docs, follow and docs-team run them. */
const elsewhere = /^(login$|sandbox log -f|team )/;
/** Examples that run until Ctrl-C. */
const runsUntilCtrlC = /^(webhooks listen|sandbox start(?!.*--background))/;

const all = commands
  .flatMap(({ name, command: { examples } }) => examples.map((example) => ({ name, example })))
  .filter(({ example }) => !elsewhere.test(example));
const listen = 'webhooks listen --profile local';

describe('the example', () => {
  it.each(all.filter(({ example }) => !runsUntilCtrlC.test(example)))(
    '$example runs unchanged',
    async ({ name, example }) => {
      const { run, goOn } = await openMachine(name);
      const listener = name === 'webhooks expect' ? await goOn(listen) : undefined;
      const { code, stdout, stderr } = await run(example);
      await listener?.end();
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
      expect(stdout).not.toBe('');
    },
  );

  it.each(all.filter(({ example }) => runsUntilCtrlC.test(example)))(
    '$example runs until Ctrl-C',
    async ({ name, example }) => {
      const { run, goOn } = await openMachine(name);
      const going = await goOn(example);
      if (example === listen) await run('send-template +12025550101 welcome --profile local');
      await expect.poll(going.printed).toMatch(example === listen ? /message\.delivered/ : /ready/i);
      expect(await going.end()).toBe(0);
    },
  );
});
