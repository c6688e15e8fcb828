// Accepts N requests in any window of milliseconds, by time of arrival, and answers 429 to the rest; without
// arguments it accepts all. GET / returns the numbers of accepted and refused requests, the time from the first to the
// last accepted one, and the least time possible after the first ones.
const { createServer } = require('node:http');
const [most, window] = process.argv.slice(2).map(Number);
const taken = [];
let refused = 0;
const server = createServer((request, answer) => {
  const time = performance.now();
  if (request.url === '/') return answer.end(JSON.stringify(counts()));
  const before = taken.at(-most);
  const isFree = !most || before === undefined || time - before >= window;
  if (isFree) taken.push(time);
  else refused += 1;
  return request.resume().on('end', () => {
    if (isFree) return answer.end('{"message_id":"msg_bench"}');
    return answer.writeHead(429, { 'retry-after': String(Math.ceil((before + window - time) / 1_000)) }).end();
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

/** A request is possible one window after the one `most` places before it. */
function counts() {
  const last = taken.length - 1;
  const least = last < most ? 0 : taken[last % most] - taken[0] + Math.floor(last / most) * window;
  return { taken: taken.length, refused, span: taken[last] - taken[0], least };
}
