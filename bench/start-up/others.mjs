// Compares --help and --version with other command-line programs, two of them in Go.
import { join } from 'node:path';
import { unpack } from '../rig/debian.mjs';
import { install } from '../rig/install.mjs';
import { bizmsg, newPath } from '../rig/processes.mjs';
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
  /** @type {{ name: string, words: string[] }[]} */
  const rivals = [];
  const rows = [];
  for (const [name, words] of Object.entries(makers)) {
    try {
      rivals.push({ name, words: words() });
    } catch (error) {
      rows.push({ what: `${name} is unavailable`, value: '', note: error.message });
    }
  }
  const variables = { XDG_CONFIG_HOME: newPath('config'), BIZMSG_STATE_DIR: newPath('state') };
  for (const word of ['--version', '--help']) {
    const own = { name: `bizmsg ${word}`, words: [node, bizmsg, word] };
    const theirs = rivals.map(({ name, words }) => ({ name: `${name} ${word}`, words: [...words, word] }));
    const took = timed([own, ...theirs], { rounds: isQuick ? 5 : 15, variables });
    rows.push(...theirs.map((rival) => rowOf(took, own, rival, { most: 1 })));
  }
  return rows;
}
