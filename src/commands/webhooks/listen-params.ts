import { flag, option, repeated } from '../../cli/params.ts';
import { count } from '../../cli/values.ts';
import { usage } from '../../errors.ts';
import { secretParams } from './secrets.ts';

export const listenParams = {
  port: option('--port <port>', 'the port (4781); 0 takes any that is free', port),
  host: option('--host <host>', 'the address to listen on (127.0.0.1 and ::1)'),
  path: option('--path <path>', 'the only path that takes events (every path does)', path),
  events: option('--events <names>', 'show and forward only these, such as message,order.paid'),
  where: repeated('--where <path=value>', 'only those whose body has that value there: data.status=failed'),
  full: flag('--full', 'show the body of each event beneath it'),
  forwardTo: option('--forward-to <address>', 'send events on as they came: 3000, localhost:3000/hook or a URL'),
  route: repeated('--route <event=address>', 'send these events there instead: order.paid=localhost:3000/paid'),
  retry: flag('--retry', 'try again what a handler failed to take, up to 5 times'),
  respond: option('--respond <status>', 'what events are answered with (200)', status),
  catchUp: flag('--catch-up', 'from the sandbox also what came while nobody listened'),
  readyFile: option('--ready-file <file>', 'write this file when it is ready, and remove it at the end'),
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
