import { Agent, request } from 'node:http';

/** Posts bodies one by one on one connection until it fails; calls back for each acknowledged body. */
export async function pour(
  port: number,
  bodies: Iterable<string>,
  acknowledged: (body: string) => void,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const body of bodies) {
    const status = await post(port, body, agent).catch(() => undefined);
    if (status === undefined) break;
    if (status !== 200) throw new Error(`it answered ${status}`);
    acknowledged(body);
  }
  agent.destroy();
}

function post(port: number, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', agent }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve(answer.statusCode ?? 0))
        .on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
