// Eight concurrent batches, each with the full rate of the plan.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { bizmsg, launch, newPath } from '../rig/processes.mjs';
import { openAccount, rowsOf } from './account.mjs';

const processes = 8;

export async function batches(isQuick) {
  const rows = isQuick ? 6 : 14;
  const account = await openAccount();
  const children = Array.from({ length: processes }, (_, at) => {
    const file = newPath('people.csv');
    const phones = Array.from({ length: rows }, (_, row) => `+1202555${String(at * 1_000 + row).padStart(4, '0')}\n`);
    writeFileSync(file, `phone\n${phones.join('')}`);
    const words = [bizmsg, 'send-batch', 'order_update', file, '--quiet', '--rate', '100%'];
    return launch(words, 'ignore', account.variables);
  });
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  if (codes.some((code) => code !== 0)) throw new Error(`the batches exited with ${codes.join(', ')}`);
  return rowsOf(account, `${processes} x send-batch, ${rows} rows each`, processes * rows);
}
