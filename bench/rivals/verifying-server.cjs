// The least that a listener does: it verifies the signature of each event, prints its body and acknowledges it. Prints
// its port first.
const { createHmac } = require('node:crypto');
const { createServer } = require('node:http');
const key = Buffer.from(process.argv[2].replace('whsec_', ''), 'base64');
const server = createServer((request, answer) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers;
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    if (signature === `v1,${digest}`) process.stdout.write(`${body}\n`);
    answer.end();
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
