// Posts one message with undici, as a script would.
const { request } = require('undici');
const body = JSON.stringify({ to: '+12025550101', template: 'order_update', params: ['Ada', 'A-1042'] });
const url = `${process.env.BIZMSG_BASE_URL}/api/public/messages/send-template`;
const headers = { 'content-type': 'application/json', authorization: `Bearer ${process.env.BIZMSG_API_KEY}` };
void request(url, { method: 'POST', headers, body, reset: true })
  .then((answer) => answer.body.json())
  .then(({ message_id: id }) => console.log(id));
