// The API as a data file for Mockoon, which checks neither key nor body. Its own import of OpenAPI documents is three
// times slower, because it renders each response from a template.

export function dataFile({ paths }) {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }], ordinal) => {
      const [status, { content }] = Object.entries(responses)[0];
      const text = JSON.stringify(content['application/json'].example);
      return route(`${path}/${method}`, { method, path, ordinal, status: Number(status), text });
    }),
  );
  return {
    uuid: 'bench',
    lastMigration: 33,
    name: 'bench',
    port: 0,
    hostname: '127.0.0.1',
    endpointPrefix: '',
    latency: 0,
    folders: [],
    routes,
    rootChildren: routes.map(({ uuid }) => ({ type: 'route', uuid })),
    proxyMode: false,
    tlsOptions: { enabled: false },
    cors: false,
    headers: [],
    proxyReqHeaders: [],
    proxyResHeaders: [],
    data: [],
    callbacks: [],
  };
}

function route(uuid, { method, path, status, text }) {
  const response = {
    uuid: `${uuid}/answer`,
    body: text,
    latency: 0,
    statusCode: status,
    label: '',
    headers: [{ key: 'Content-Type', value: 'application/json; charset=utf-8' }],
    bodyType: 'INLINE',
    sendFileAsBody: false,
    rules: [],
    rulesOperator: 'OR',
    disableTemplating: true,
    fallbackTo404: false,
    default: true,
    callbacks: [],
  };
  const common = { uuid, type: 'http', documentation: '', responseMode: null, streamingMode: null };
  return { ...common, method, endpoint: path.slice(1), responses: [response] };
}
