// Posts one body COUNT times with undici over 16 connections, and reads no answer: node undici-alone.cjs URL COUNT
const { Pool } = require('undici');
const [url, count] = [process.argv[2], Number(process.argv[3])];
const pool = new Pool(url, { connections: 16, pipelining: 1 });
const headers = { authorization: 'Bearer sk_test_bench', 'content-type': 'application/json' };
const request = {
  method: 'POST',
  path: '/api/public/contacts',
  headers,
  body: '{"phone":"+12025550101","name":"Ada"}',
};
const ignore = () => {};
const fail = (_, error) => {
  throw error;
};
const ignored = { onRequestStart: ignore, onResponseStart: ignore, onResponseData: ignore };
const handler = { ...ignored, onResponseEnd: next, onResponseError: fail };
let left = count;
for (let n = 0; n < 16; n++) next();

function next() {
  if (left-- > 0) pool.dispatch(request, handler);
  // It waits for the others.
  else if (left === -1) void pool.close();
}
