import type { IncomingMessage, Server } from 'node:http';

/** Starts to listen; resolves to the error if that fails. */
export function listen(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const settle = (failure?: NodeJS.ErrnoException) => {
      server.off('error', settle);
      server.off('listening', succeed);
      resolve(failure);
    };
    const succeed = () => settle();
    server.once('error', settle);
    server.once('listening', succeed);
    server.listen({ host, port, ipv6Only: host === '::1' });
  });
}

export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Why a body was not read. An evicted body made room in memory for newer ones. */
export type BodyFailure = 'too large' | 'disconnected' | 'evicted';

/** Reads request bodies, with a limit on the memory of all unfinished ones. */
export interface BodyReader {
  /** Calls `ended` once. A body that is too large is still read to its end, so that the sender gets the response. */
  read(request: IncomingMessage, largest: number, ended: (body: Buffer | BodyFailure) => void): void;
}

const smallest = 4_096;
const none = Buffer.alloc(0);

/**
 * Keeps an unfinished body in one growing buffer: a list of one-byte chunks takes 60 times the bytes that were sent.
 * When all of them together exceed `most` bytes, the oldest are evicted, since well-behaved senders finish soon.
 */
export function createBodyReader(most: number): BodyReader {
  /** Bytes held per unfinished body, the oldest first; the key evicts it. */
  const unfinished = new Map<() => void, number>();
  let held = 0;
  return {
    read(request, largest, ended) {
      const length = Number(request.headers['content-length']);
      let buffer: Buffer = none;
      let [size, isOver] = [0, false];
      request.on('data', (chunk: Buffer) => {
        if (isOver) return;
        const at = size;
        size += chunk.byteLength;
        if (size > largest) drop();
        // Nearly always the first chunk is the whole body.
        else if (chunk.byteLength === length) buffer = chunk;
        else keep(chunk, at);
      });
      request.on('end', () => finish(size > largest ? 'too large' : buffer.subarray(0, size)));
      request.on('close', () => finish('disconnected'));

      function keep(chunk: Buffer, at: number): void {
        if (size > buffer.byteLength) {
          buffer = grown(buffer, size, length < largest ? length : largest);
          hold(evict, buffer.byteLength);
        }
        chunk.copy(buffer, at);
      }

      function evict(): void {
        finish('evicted');
      }

      function finish(outcome: Buffer | BodyFailure): void {
        if (isOver) return;
        isOver = true;
        drop();
        ended(outcome);
      }

      function drop(): void {
        buffer = none;
        release(evict);
      }
    },
  };

  function hold(evict: () => void, bytes: number): void {
    held += bytes - (unfinished.get(evict) ?? 0);
    unfinished.set(evict, bytes);
    for (const [oldest] of unfinished) {
      if (held <= most) return;
      oldest();
    }
  }

  function release(evict: () => void): void {
    held -= unfinished.get(evict) ?? 0;
    unfinished.delete(evict);
  }
}

function grown(buffer: Buffer, size: number, largest: number): Buffer {
  const next = Buffer.allocUnsafeSlow(Math.min(Math.max(2 * buffer.byteLength, size, smallest), largest));
  buffer.copy(next);
  return next;
}

/**
 * Collects items until the end of the event-loop turn, then passes them on together. Responses written in one go wake a
 * client with many connections once instead of once for each, and waking it costs more than making the response.
 */
export function createTurn<T>(end: (items: readonly T[]) => void): (item: T) => void {
  let items: T[] = [];
  return (item) => {
    if (items.push(item) === 1) setImmediate(endTurn);
  };

  function endTurn(): void {
    const all = items;
    items = [];
    end(all);
  }
}
