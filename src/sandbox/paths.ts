import { announced, type Announced, type EndpointName, endpoints } from '../contract/endpoints.ts';
import { Refusal } from './refusal.ts';

export const endpointNames = [
  'sendTemplate',
  'listContacts',
  'createContact',
  'listTemplates',
  'listCampaigns',
] as const satisfies readonly EndpointName[];

const routes = new Map(endpointNames.map((name) => [`${endpoints[name].method} ${endpoints[name].path}`, name]));

/** §4: exactly these paths, and no other. */
export function endpointAt(method: string, path: string): EndpointName {
  const name = knownAt(method, path);
  if (name) return name;
  throw new Refusal(404, whyNot(method, path));
}

export function knownAt(method: string, path: string): EndpointName | undefined {
  return routes.get(`${method} ${path}`);
}

function whyNot(method: string, path: string): string {
  const methods = endpointNames.map((name) => endpoints[name]).filter((endpoint) => endpoint.path === path);
  if (methods.length > 0) return `${path} has no ${method}, only ${methods.map(({ method }) => method).join(' and ')}`;
  const family = announcedAt(path);
  if (!family) return 'there is no such path';
  return `there is no such path: of ${family.family}, ${family.what.join(', ')} are announced only and have none yet`;
}

/** No path of these is known, so they are recognised by the words in it. */
function announcedAt(path: string): Announced | undefined {
  const [, words] = /^\/api\/public\/(.+)$/.exec(path.toLowerCase()) ?? [];
  const segments = words?.split('/') ?? [];
  return announced.find((entry) =>
    segments.some((segment) => segment === entry.family.toLowerCase() || entry.words.includes(segment)),
  );
}
