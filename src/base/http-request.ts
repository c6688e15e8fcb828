import { request } from 'node:http';

interface HttpRequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds without activity after which it fails. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Sends one request over plain HTTP, without redirects, proxy or retries. */
export function httpRequest(url: string, options: HttpRequestOptions = {}): Promise<HttpAnswer> {
  const { method = 'POST', headers = {}, body = '', timeout = 15_000, signal } = options;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent: false, timeout, signal }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, headers, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    // NODE_DEBUG prints the options of a request, so a control token must not be among them.
    for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value);
    sent.setHeader('content-length', Buffer.byteLength(body));
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeout} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });
}
