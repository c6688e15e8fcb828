// Prints the commands of the README's first screen: its sh blocks before the second heading.
import { readFileSync } from 'node:fs';

const [, first = ''] = readFileSync(process.argv[2], 'utf8').split(/^#{1,2} /m);
const blocks = [...first.matchAll(/^```sh\n(.*?)^```/gms)].map(([, body]) => body);
const commands = blocks.join('').replaceAll('\\\n', ' ').split('\n').filter(Boolean);
if (commands.length < 2) throw new Error('the first screen of the README has too few commands');
console.log(commands.join('\n'));
