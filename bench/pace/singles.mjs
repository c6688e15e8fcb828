// Single sends by xargs, eight at a time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bizmsg, environment } from '../rig/processes.mjs';
import { openAccount, rowsOf } from './account.mjs';

const processes = 8;

export async function singles(isQuick) {
  const count = isQuick ? 40 : 100;
  const account = await openAccount();
  const words = ['-P', String(processes), '-I', '{}', process.execPath, bizmsg, 'send-template', '{}', 'order_update'];
  const env = environment(account.variables);
  const xargs = spawn('xargs', [...words, '--quiet', '-o', 'json'], { stdio: ['pipe', 'ignore', 'inherit'], env });
  xargs.stdin.end(Array.from({ length: count }, (_, at) => `+120255501${String(at).padStart(2, '0')}\n`).join(''));
  const [code] = await once(xargs, 'exit');
  if (code !== 0) throw new Error(`xargs exited with ${code}`);
  return rowsOf(account, `${count} x send-template, xargs -P ${processes}`, count);
}
