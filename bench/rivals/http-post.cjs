// Posts one message with node:http: the fastest a Node script can be.
const { request } = require('node:http');
const body = JSON.stringify({ to: '+12025550101', template: 'order_update', params: ['Ada', 'A-1042'] });
const url = `${process.env.BIZMSG_BASE_URL}/api/public/messages/send-template`;
const headers = { 'content-type': 'application/json', authorization: `Bearer ${process.env.BIZMSG_API_KEY}` };
const sent = request(url, { method: 'POST', headers, agent: false }, (answer) => {
  let text = '';
  answer.on('data', (chunk) => (text += chunk)).on('end', () => console.log(JSON.parse(text).message_id));
});
sent.end(body);
