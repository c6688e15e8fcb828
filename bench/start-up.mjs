// How long common commands take from spawn to exit, beside bare Node and a minimal script that posts one message.
//   node bench/start-up.mjs [--quick] [commands] [batches]
import { spawnSync } from 'node:child_process';
import { bizmsg, environment, keys, newPath, rival, run, startServer } from './rig/processes.mjs';
import { writePeople, writeProfile } from './rig/processes.mjs';
import { measure, milliseconds, takeTurns } from './rig/table.mjs';

const ours = (name, words = name) => ({ name: `bizmsg ${name}`, words: [bizmsg, ...words.split(' ')] });
const bare = { name: 'node -e 0', words: ['-e', '0'] };
const post = { name: 'a post by node:http', words: [rival('http-post.cjs')] };
const version = ours('--version');

await measure('From spawn to exit.', { commands, batches });

async function commands(isQuick) {
  const server = await startServer('server', rival('strict-server.cjs'));
  const settings = { BIZMSG_CONFIG_DIR: writeProfile({ baseUrl: server.url }), BIZMSG_BASE_URL: server.url };
  const variables = { ...settings, BIZMSG_API_KEY: keys.sandbox, BIZMSG_STATE_DIR: newPath('state') };
  const help = ours('--help');
  const tab = { ...ours('…--profile <TAB>', '__complete zsh'), input: 'bizmsg\0contacts\0list\0--profile\0\0' };
  const send = ours('send-template', 'send-template +12025550101 order_update -p Ada -p A-1042 --again');
  // Beside the record of live messages, a send would look for opt-outs there.
  const ofLive = { BIZMSG_API_KEY: keys.live, BIZMSG_STATE_DIR: newPath('state') };
  const live = { ...send, name: `${send.name}, a live key`, variables: ofLive };
  const compare = await timed([bare, version, help, tab, post, send, live], isQuick, variables);
  return [
    { ...compare(version, bare), most: 1.1, why: 'loads nothing but one small file' },
    { ...compare(help, bare), most: 1.1, why: 'prints a text rendered at build time' },
    { ...compare(tab, bare), most: 1.25, why: 'a shell waits for it at each TAB' },
    { ...compare(send, post), most: 1.4, why: 'a tool that only waits for the wire' },
    { ...compare(live, post), most: 1.7, why: 'claims the message in the ledger' },
  ];
}

/** Lists the batches of a machine that has had 200 of them. */
async function batches(isQuick) {
  const server = await startServer('server', rival('strict-server.cjs'));
  const [folder, BIZMSG_API_KEY] = [newPath('state'), keys.sandbox];
  const variables = { BIZMSG_STATE_DIR: folder, BIZMSG_API_KEY, BIZMSG_BASE_URL: server.url };
  for (let n = 0; n < 200; n += 4) {
    const files = [0, 1, 2, 3].map((more) => writePeople(1, n + more));
    await Promise.all(files.map((file) => run([bizmsg, 'contacts', 'import', file, '--quiet'], variables)));
  }
  const list = ours('batches list, 200 batches', 'batches list');
  const compare = await timed([version, list], isQuick, variables);
  return [{ ...compare(list, version), most: 1.6, why: 'reads one table, not the rows of 200 batches' }];
}

/** Compares times. */
async function timed(contestants, isQuick, shared) {
  const settings = { rounds: isQuick ? 20 : 40, seconds: 120 };
  const { compare } = await takeTurns(contestants, settings, ({ name, words, input = '', variables }) => {
    const [began, env] = [performance.now(), environment({ ...shared, ...variables })];
    const { status, stderr } = spawnSync(process.execPath, words, { env, input });
    if (status !== 0) throw new Error(`${name}: exit ${status}: ${String(stderr)}`);
    return { took: performance.now() - began };
  });
  return (contestant, other) => ({ what: contestant.name, ...compare(contestant, other, 'took', milliseconds) });
}
