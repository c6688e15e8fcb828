// Takes so many requests in any window of so many milliseconds, counted by when they arrive, and answers 429 to the
// rest. A GET tells how many were taken and refused, and the milliseconds from the first that was taken to the last.
const { createServer } = require('node:http');
const [most, window] = process.argv.slice(2).map(Number);
const taken = [];
let refused = 0;
const server = createServer((request, answer) => {
  const time = performance.now();
  if (request.method === 'GET') return answer.end(JSON.stringify({ taken: taken.length, refused, span: span() }));
  const before = taken.at(-most);
  const isFree = before === undefined || time - before >= window;
  if (isFree) taken.push(time);
  else refused += 1;
  return request.resume().on('end', () => {
    if (isFree) return answer.end('{}');
    return answer.writeHead(429, { 'retry-after': String(Math.ceil((before + window - time) / 1_000)) }).end();
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

function span() {
  return taken.length === 0 ? 0 : taken.at(-1) - taken[0];
}
