import { describe, expect, it } from 'vitest';
import { commands } from '../support/commands.ts';
import { shaped, shapeOf } from '../support/output-shape.ts';
import { goOn, openMachine } from './examples-rig.ts';

/** Examples that prompt on a terminal, follow, or need a server; docs-accounts, follow and docs-team run them. */
const elsewhere = /^(login$|sandbox log -f|team )/;
/** Examples that run until Ctrl-C. */
const runsUntilCtrlC = /^(webhooks listen|sandbox start(?!.*--background))/;

const all = commands
  .flatMap(({ name, command: { examples, sample } }) =>
    examples.map((example, at) => ({ name, example, sample: at === 0 ? sample : '…' })),
  )
  .filter(({ example }) => !elsewhere.test(example));
const listen = 'webhooks listen --profile local';

/** Tests the examples of the commands whose names match. */
export function runExamples(names: RegExp): void {
  const these = all.filter(({ name }) => names.test(name));
  describe('the example', () => {
    it.each(these.filter(({ example }) => !runsUntilCtrlC.test(example)))('$example runs unchanged', async (one) => {
      const { home, shell, here } = await openMachine(one.name);
      const listener = one.name === 'webhooks expect' ? await goOn(shell, `bizmsg ${listen} --port 0`) : undefined;
      const { exitCode, stdout, stderr } = await shell(`bizmsg ${here(one.example)}`);
      await listener?.end();
      expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('error')]);
      expect(stdout).not.toBe('');
      expect(shaped(stdout.replaceAll(home, '/home/ada'))).toMatch(shapeOf(one.sample));
    });

    it.each(these.filter(({ example }) => runsUntilCtrlC.test(example)))('$example runs until Ctrl-C', async (one) => {
      const { shell, here } = await openMachine(one.name);
      const going = await goOn(shell, `bizmsg ${here(one.example)} --port 0`);
      if (one.example === listen) await shell('bizmsg send-template +12025550101 welcome --profile local');
      await expect.poll(going.printed).toMatch(one.example === listen ? /message\.delivered/ : /ready/i);
      expect(await going.end()).toBe(0);
      expect(shaped(going.printed())).toMatch(shapeOf(one.sample));
    });
  });
}
