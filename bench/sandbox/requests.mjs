// The kinds of measured requests.

let numbers = 0;

export const create = {
  name: 'POST contacts',
  method: 'POST',
  path: '/api/public/contacts',
  body: () => ({ phone: `+1${3_000_000_000 + numbers++}`, name: 'Grace Hopper', tags: ['customer'] }),
  // Each contact has a new phone.
  differs: true,
};

/** For a sandbox whose clock is frozen: on a slow machine, receipts would take CPU time of the same round. */
export const send = {
  name: 'POST send-template',
  method: 'POST',
  path: '/api/public/messages/send-template',
  body: () => ({ to: '+12025550101', template: 'order_update', params: ['Ada', 'A-1042'] }),
};

export const list = {
  name: 'GET contacts?limit=100',
  method: 'GET',
  path: '/api/public/contacts?limit=100',
};

/** The request as a client sends it. */
export function requestOf({ method, path, body }, key) {
  const headers = { authorization: `Bearer ${key}` };
  if (!body) return { method, path, headers };
  return { method, path, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body()) };
}

/** The sandbox's response to each request, for rivals to return. */
export async function answersOf(sandbox) {
  const answers = {};
  for (const kind of [create, send, list]) {
    const { path, ...request } = requestOf(kind, sandbox.key);
    const answer = await fetch(sandbox.url + path, request);
    answers[`${kind.method} ${kind.path.split('?')[0]}`] = { status: answer.status, body: await answer.json() };
  }
  return answers;
}
