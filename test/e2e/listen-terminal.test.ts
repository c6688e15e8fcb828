import { beforeEach, describe, expect, it } from 'vitest';
import { raw } from '../sandbox/served.ts';
import { sandboxHome } from '../support/fake-service.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';

let home: string;
beforeEach(() => {
  home = sandboxHome();
});

const open = () => openTerminal({ home, columns: 180 });

async function listen(words = ''): Promise<{ readonly terminal: Terminal; readonly port: number }> {
  const terminal = open();
  await terminal.enter(`bizmsg webhooks listen --port 0${words}`);
  const [, port] =
    /Ready http:\/\/127\.0\.0\.1:(\d+)/.exec(await terminal.until(/Ready .* \(press Ctrl-C to stop\)/)) ?? [];
  return { terminal, port: Number(port) };
}

describe('webhooks listen escapes control characters of an event on the terminal', () => {
  const [esc, csi] = ['\u001b', '\u009b'];
  const red = `${esc}[31mred${csi}31m`;
  const cleared = `${esc}[2J${csi}2J${esc}]0;owned\u0007`;
  const hostile = {
    type: `order.paid${cleared}`,
    message_id: `msg_${red}`,
    to: `+1202555${red}`,
    reason: `${cleared}${red}\u202e`,
    [`name${red}`]: [cleared, `two\nlines\r${red}`],
  };

  it('in its body and its headers, printed live or later', async () => {
    const { terminal, port } = await listen(' --full --no-color --path /hooks');
    const statuses = [
      await send(port, '/hooks', [], JSON.stringify(hostile)),
      // The value of a header may have non-ASCII bytes.
      await send(port, '/hooks', [`x-event-type: order.paid${csi}31m`], red),
      await send(port, '/hooks', [`x-event-type: ${red}`]),
      await send(port, `/other${csi}31m`),
    ];
    expect(statuses).toEqual(['200', '200', '400', '400']);
    await terminal.until('was answered with 400');
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(0);
    for (const line of ['webhooks list --no-color', 'webhooks show --no-color', 'webhooks show --raw -']) {
      await terminal.enter(`bizmsg ${line}`);
      expect(await terminal.ended()).toBe(0);
    }
    await terminal.enter('echo the "e"nd');
    await expect.poll(terminal.written).toContain('\nthe end');
    expect(terminal.written()).toContain('msg_red');
    expect(terminal.written()).not.toMatch(/[\u0007\u001b\u0080-\u009f\u202e]/);
  });
});

async function send(port: number, path: string, headers: readonly string[] = [], body = ''): Promise<string> {
  const length = `content-length: ${Buffer.byteLength(body)}`;
  const head = [`POST ${path} HTTP/1.1`, 'host: a', ...headers, length, 'connection: close', '', ''].join('\r\n');
  const answer = await raw(port, Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]));
  return answer.slice('HTTP/1.1 '.length).slice(0, 3);
}
