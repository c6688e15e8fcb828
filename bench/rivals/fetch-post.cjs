// Posts one message with fetch, like most scripts.
const body = JSON.stringify({ to: '+12025550101', template: 'order_update', params: ['Ada', 'A-1042'] });
const url = `${process.env.BIZMSG_BASE_URL}/api/public/messages/send-template`;
const headers = { 'content-type': 'application/json', authorization: `Bearer ${process.env.BIZMSG_API_KEY}` };
void fetch(url, { method: 'POST', headers, body })
  .then((answer) => answer.json())
  .then((sent) => console.log(sent.message_id));
