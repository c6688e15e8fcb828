// A script as a developer would write it: posts each row of a file over 16 connections. node undici-script.mjs URL FILE
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';

const [, , url, file] = process.argv;
const dispatcher = new Agent({ connections: 16 });
const headers = { authorization: 'Bearer sk_test_bench', 'content-type': 'application/json' };
const rows = createInterface({ input: createReadStream(file) })[Symbol.asyncIterator]();
const { value: first } = await rows.next();

async function work() {
  for (let row = await rows.next(); !row.done; row = await rows.next()) {
    const fields = row.value.split(',');
    const body = JSON.stringify(Object.fromEntries(first.split(',').map((name, at) => [name, fields[at]])));
    const answer = await request(`${url}/api/public/contacts`, { method: 'POST', headers, body, dispatcher });
    if (answer.statusCode >= 300) console.error(`${row.value}: ${answer.statusCode}`);
    await answer.body.dump();
  }
}
await Promise.all(Array.from({ length: 16 }, work));
await dispatcher.close();
