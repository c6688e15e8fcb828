// Accepts a number of requests in any window of milliseconds, by time of arrival, and answers 429 to the rest. GET /
// returns the numbers of accepted and refused requests, the time from the first to the last accepted one, and the
// minimum time possible after the first ones.
const { createServer } = require('node:http');
const [most, window] = process.argv.slice(2).map(Number);
const taken = [];
let refused = 0;
const server = createServer((request, answer) => {
  const time = performance.now();
  if (request.url === '/')
    return answer.end(JSON.stringify({ taken: taken.length, refused, span: span(), least: least() }));
  const before = taken.at(-most);
  const isFree = before === undefined || time - before >= window;
  if (isFree) taken.push(time);
  else refused += 1;
  return request.resume().on('end', () => {
    if (isFree) return answer.end('{"message_id":"msg_bench"}');
    return answer.writeHead(429, { 'retry-after': String(Math.ceil((before + window - time) / 1_000)) }).end();
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

function span() {
  return taken.length === 0 ? 0 : taken.at(-1) - taken[0];
}

/** A request is possible one window after the one `most` places before it. */
function least() {
  const last = taken.length - 1;
  return last < most ? 0 : taken[last % most] - taken[0] + Math.floor(last / most) * window;
}
