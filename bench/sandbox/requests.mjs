// The three requests that everything is measured with.

let numbers = 0;

export const create = {
  name: 'POST contacts',
  method: 'POST',
  path: '/api/public/contacts',
  body: () => ({ phone: `+1${3_000_000_000 + numbers++}`, name: 'Grace Hopper', tags: ['customer'] }),
  // Nobody is created twice, so each is a request of its own.
  differs: true,
};

export const send = {
  name: 'POST send-template',
  method: 'POST',
  path: '/api/public/messages/send-template',
  body: () => ({ to: '+12025550101', template: 'order_update', params: ['Ada', 'A-1042'] }),
  // Its receipts are due up to 3.4 s later; nobody else runs until they are.
  aftermath: 3_600,
};

export const list = {
  name: 'GET contacts?limit=100',
  method: 'GET',
  path: '/api/public/contacts?limit=100',
};

/** As a client is to send it. */
export function requestOf({ method, path, body }, key) {
  const headers = { authorization: `Bearer ${key}` };
  if (!body) return { method, path, headers };
  return { method, path, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body()) };
}

/** What a sandbox answers to each, for its rivals to answer the same. */
export async function answersOf(sandbox) {
  const answers = {};
  for (const kind of [create, send, list]) {
    const { path, ...request } = requestOf(kind, sandbox.key);
    const answer = await fetch(sandbox.url + path, request);
    answers[`${kind.method} ${kind.path.split('?')[0]}`] = { status: answer.status, body: await answer.json() };
  }
  return answers;
}
