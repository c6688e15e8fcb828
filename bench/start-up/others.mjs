// Compares --version with other command-line programs, two of them in Go.
import { join } from 'node:path';
import { unpack } from '../rig/debian.mjs';
import { install } from '../rig/install.mjs';
import { bizmsg, newPath } from '../rig/processes.mjs';
import { two } from '../rig/table.mjs';
import { rowOf, timed } from './processes.mjs';

const node = process.execPath;
const makers = {
  gh: () => [unpack('gh', 'usr/bin/gh')],
  'stripe 1.52.0': () => [
    join(install('@stripe/cli', '1.52.0'), `../cli-${process.platform}-${process.arch}/bin/stripe`),
  ],
  'resend 2.21.0': () => [node, join(install('resend-cli', '2.21.0'), 'dist/cli.cjs')],
  'vonage 1.2.4': () => [node, join(install('@vonage/cli', '1.2.4'), 'bin/run.cjs')],
  'twilio 6.2.4': () => [node, join(install('twilio-cli', '6.2.4'), 'bin/run')],
};

export async function others(isQuick) {
  const own = { name: 'bizmsg --version', words: [node, bizmsg, '--version'] };
  /** @type {{ name: string, words: string[] }[]} */
  const rivals = [];
  const rows = [];
  for (const [name, words] of Object.entries(makers)) {
    try {
      rivals.push({ name, words: [...words(), '--version'] });
    } catch (error) {
      rows.push({ what: `${name} --version`, unmeasured: error.message });
    }
  }
  if (rivals.length === 0) return rows;
  const variables = { XDG_CONFIG_HOME: newPath('config'), BIZMSG_STATE_DIR: newPath('state') };
  const took = timed([own, ...rivals], { rounds: isQuick ? 5 : 15, variables });
  const [fastest, ...rest] = rivals.toSorted((one, other) => took(one) - took(other));
  const note = rest.map((rival) => `${rival.name.split(' ')[0]} ${two(took(own) / took(rival))}`).join(', ');
  const limit = { most: 1, why: 'as quick as the fastest program of another service' };
  return [...rows, rowOf(took, own, fastest, { ...limit, note })];
}
