// Responds to every request immediately; prints its port.
const { createServer } = require('node:http');
const server = createServer((request, answer) => {
  request.resume().on('end', () => answer.end('{"message_id":"msg_bench"}'));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
