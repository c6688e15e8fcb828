// Posts one body repeatedly with undici, which imports use, without reading responses; prints time and CPU.
const Pool = require('undici/lib/dispatcher/pool.js');
const { url, connections, amount, requests } = JSON.parse(process.argv[2]);
const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
const request = { origin: url, ...requests[0] };
const began = performance.now();
let [sent, done] = [0, 0];
const handler = {
  onRequestStart() {},
  onResponseStart(_, status) {
    if (status !== 200) throw new Error(`answered ${status}`);
  },
  onResponseData() {},
  onResponseEnd() {
    done += 1;
    if (sent < amount) post();
    else if (done === amount) end();
  },
  onResponseError(_, error) {
    throw error;
  },
};
while (sent < connections) post();

function post() {
  sent += 1;
  pool.dispatch(request, handler);
}

function end() {
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ seconds: (performance.now() - began) / 1_000, cpu: user + system }));
  void pool.destroy();
}
