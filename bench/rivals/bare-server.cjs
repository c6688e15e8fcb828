// A minimal server of the API: reads and parses the body, looks up the key, and writes a response.
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { key, answers } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const keys = new Map([[key, { id: 'key_bench' }]]);
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { status, body } = answers[`${request.method} ${request.url.split('?')[0]}`];
    if (!keys.has(request.headers.authorization?.slice('Bearer '.length))) return response.writeHead(401).end();
    if (request.method === 'POST') JSON.parse(Buffer.concat(chunks).toString());
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    return response.writeHead(status, headers).end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
