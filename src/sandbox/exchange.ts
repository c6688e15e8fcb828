/** A request as it came, and all that an answer depends on. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A body may have so many bytes and no more. */
export const largestBody = 1_048_576;

/** A target in absolute form, as a proxy sends it, means the same. */
export function targetOf(target: string): Target {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '');
  const [path = '', ...query] = local.split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}
