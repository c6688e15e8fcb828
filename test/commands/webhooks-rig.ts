import { request } from 'node:http';
import { join } from 'node:path';
import { signatureHeaders, sign } from '../../src/contract/signature.ts';
import { cli, type CliOptions } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { listening, logsIn, machine } from '../webhooks/rig.ts';

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const otherSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

type Headers = readonly (readonly [string, string])[];

/** A listener with its own home. */
export async function listener(now: () => number = Date.now) {
  const home = newHome();
  const stateFolder = join(home, '.local/state/bizmsg');
  const { listener, port } = await listening({ machine: { ...machine, now }, stateFolder });
  const journal = await logsIn(stateFolder, now);
  return {
    home,
    stateFolder,
    journal,
    close: () => listener.close(),
    /** Delivers an event to the listener; returns its id. */
    send: async (body: string | Uint8Array, headers: Headers = [], path = '/hooks') => {
      await post(port, path, headers, body);
      return (await journal.all()).at(-1)?.id ?? '';
    },
    run: (line: string, options: Partial<CliOptions> = {}) => cli(line.split(' '), { home, ...options }),
  };
}

/** Headers signed according to Standard Webhooks. */
export function signed(body: string | Uint8Array, { by = secret, at = Date.now(), id = 'evt_1' } = {}): Headers {
  const timestamp = Math.floor(at / 1000);
  return [
    [signatureHeaders.id, id],
    [signatureHeaders.timestamp, String(timestamp)],
    [signatureHeaders.signature, sign({ id, timestamp, body }, by)],
  ];
}

/** The lines of tab-separated rows without the header. */
export function rows(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split('\t'));
}

function post(port: number, path: string, headers: Headers, body: string | Uint8Array): Promise<void> {
  const length = ['Content-Length', String(Buffer.byteLength(body))];
  const flat = ['Host', `127.0.0.1:${port}`, ...headers.flat(), ...length];
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path, headers: flat }, (answer) => {
      answer.resume().on('end', resolve).on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
