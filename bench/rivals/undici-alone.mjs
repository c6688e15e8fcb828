// Posts the same body COUNT times over 16 connections, and reads no answer. node undici-alone.mjs URL COUNT
import { Pool } from 'undici';

const [, , url, count] = process.argv;
const pool = new Pool(url, { connections: 16 });
const headers = { authorization: 'Bearer sk_test_bench', 'content-type': 'application/json' };
const body = '{"phone":"+12025550101","name":"Grace Hopper 101","city":"Arlington"}';
const ignore = () => {};
const handler = {
  onRequestStart: ignore,
  onResponseStart: ignore,
  onResponseData: ignore,
  onResponseEnd: next,
  onResponseError: (_, error) => {
    throw error;
  },
};
let waiting = Number(count);
for (let n = 0; n < 16; n++) next();

function next() {
  if (waiting-- > 0) pool.dispatch({ method: 'POST', path: '/api/public/contacts', headers, body }, handler);
  // It waits for the others.
  else if (waiting === -1) void pool.close();
}
