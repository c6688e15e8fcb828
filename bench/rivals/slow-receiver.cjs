// Acknowledges every event after the given milliseconds; prints its port.
const { createServer } = require('node:http');
const server = createServer((request, answer) => {
  request.resume().on('end', () => setTimeout(() => answer.writeHead(204).end(), Number(process.argv[2])));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
