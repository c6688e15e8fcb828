// The API as an OpenAPI document for mocks, with the sandbox's responses as examples.
const text = { type: 'string' };
const texts = { type: 'array', items: text };
const contact = {
  type: 'object',
  required: ['phone'],
  properties: {
    phone: { type: 'string', pattern: '^\\+[1-9][0-9]{6,14}$' },
    name: text,
    tags: texts,
    attributes: { type: 'object' },
  },
};
const message = {
  type: 'object',
  required: ['to', 'template', 'params'],
  properties: { to: text, template: text, params: texts },
};
const paging = [
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } },
  { name: 'cursor', in: 'query', schema: text },
];

/** `answers` maps method and path to a status and a body. */
export function openApi(answers) {
  const operation = (name, rest) => {
    const { status, body } = answers[name] ?? { status: 200, body: { data: [], next_cursor: null } };
    const content = { 'application/json': { schema: { type: 'object' }, example: body } };
    return { ...rest, responses: { [status]: { description: 'as the sandbox answers', content } } };
  };
  const page = (path) => operation(`GET ${path}`, { parameters: paging });
  const post = (path, schema) =>
    operation(`POST ${path}`, { requestBody: { required: true, content: { 'application/json': { schema } } } });
  const base = '/api/public';
  return {
    openapi: '3.0.3',
    info: { title: 'Business Messaging Public API', version: '1' },
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: {
      [`${base}/messages/send-template`]: { post: post(`${base}/messages/send-template`, message) },
      [`${base}/contacts`]: { get: page(`${base}/contacts`), post: post(`${base}/contacts`, contact) },
      [`${base}/templates`]: { get: page(`${base}/templates`) },
      [`${base}/campaigns`]: { get: page(`${base}/campaigns`) },
    },
  };
}
