import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';

const script = `
const { connect } = require('node:net');
const [port, connections, chunks] = process.argv.slice(1).map(Number);
const block = '1\\r\\nx\\r\\n'.repeat(1_000);
let unsent = connections;
for (let at = 0; at < connections; at++) {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write('POST /api/public/contacts HTTP/1.1\\r\\nhost: a\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n');
  let left = chunks;
  const sendMore = (error) => {
    if (error || left <= 0) return --unsent === 0 ? process.stdout.write('sent') : undefined;
    left -= 1_000;
    socket.write(block, sendMore);
  };
  sendMore();
}
`;

/** Starts a process that sends bodies in one-byte chunks without an end, and stays connected during the test. */
export async function drip(port: number, connections: number, chunks: number): Promise<void> {
  const args = [port, connections, chunks].map(String);
  const attacker = spawn(process.execPath, ['-e', script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void attacker.kill('SIGKILL'));
  await once(attacker.stdout, 'data');
}

/** The peak memory of a process, in MiB. */
export function peakMemory(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}
