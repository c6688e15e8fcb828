// The least that a server which takes events does: read each to its end, and acknowledge it. Says its port.
const { createServer } = require('node:http');
const server = createServer((request, answer) => {
  request.resume().on('end', () => answer.end());
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
