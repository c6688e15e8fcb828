import { flag, option, repeated } from '../../cli/params.ts';
import { count } from '../../cli/values.ts';
import { usage } from '../../base/errors.ts';
import { secretParams } from './secrets.ts';

export const listenParams = {
  port: option('--port <port>', 'the port; 0 takes any free one (4781)', port),
  host: option('--host <host>', 'the address to listen on (127.0.0.1 and ::1)'),
  path: option('--path <path>', 'take events at this path only (any path)', path),
  events: option('--events <names>', 'only these events, or message for its family; with commas between'),
  where: repeated('--where <path=value>', 'only events whose body has this value there, such as data.to=+12025550101'),
  full: flag('--full', 'show the body of each event too'),
  forwardTo: option('--forward-to <address>', 'forward events, as they came, to 3000, localhost:3000/hook or a URL'),
  route: repeated('--route <event=address>', 'forward these events elsewhere: order.paid=localhost:3000/paid'),
  retry: flag('--retry', 'forward again, up to 5 times, what a handler failed to take'),
  respond: option('--respond <status>', 'the status that events are answered with (200)', status),
  allowWebPages: flag('--allow-web-pages', 'also take events that a web page in a browser sends'),
  catchUp: flag('--catch-up', 'also the events of the sandbox that came while nobody listened'),
  readyFile: option('--ready-file <file>', 'write this file as soon as it is ready, and remove it at the end'),
  ...secretParams,
} as const;

function port(text: string): number {
  const number = count(text);
  if (number <= 65_535) return number;
  throw usage(`"${text}" is not a port`, 'ports go up to 65535, and 0 takes any that is free');
}

function path(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw usage(`"${text}" is not a path`, 'it begins with /, such as /hooks');
}

function status(text: string): number {
  const number = count(text);
  if (number >= 200 && number <= 599) return number;
  throw usage(`"${text}" is not a status to answer with`, 'use 200 to 599');
}
