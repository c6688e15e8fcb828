import type { IncomingMessage, Server } from 'node:http';

/** Why it could not; undefined when it listens. */
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

/** Why there is no body: it was too large, its sender left, or others needed the memory that it held. */
export type Unread = 'too large' | 'left' | 'crowded out';

/** Reads the bodies of a server's requests, with a limit on the memory of all that are unfinished. */
export interface BodyReader {
  /** Calls `ended` once. A body that is too large is read to its end, or its sender would miss the answer. */
  read(request: IncomingMessage, largest: number, ended: (body: Buffer | Unread) => void): void;
}

const smallest = 4_096;
const none = Buffer.alloc(0);

/**
 * Keeps an unfinished body in one growing buffer: a list of one-byte chunks takes 60 times the bytes that were sent.
 * When all of them together exceed `most` bytes, the oldest are dropped, since honest senders finish soon.
 */
export function createBodyReader(most: number): BodyReader {
  /** The bytes that each holds, by what drops it; the oldest first. */
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
      request.on('close', () => finish('left'));

      function keep(chunk: Buffer, at: number): void {
        if (size > buffer.byteLength) {
          buffer = grown(buffer, size, length < largest ? length : largest);
          hold(crowdOut, buffer.byteLength);
        }
        chunk.copy(buffer, at);
      }

      function crowdOut(): void {
        finish('crowded out');
      }

      function finish(outcome: Buffer | Unread): void {
        if (isOver) return;
        isOver = true;
        drop();
        ended(outcome);
      }

      function drop(): void {
        buffer = none;
        release(crowdOut);
      }
    },
  };

  function hold(crowdOut: () => void, bytes: number): void {
    held += bytes - (unfinished.get(crowdOut) ?? 0);
    unfinished.set(crowdOut, bytes);
    for (const [oldest] of unfinished) {
      if (held <= most) return;
      oldest();
    }
  }

  function release(crowdOut: () => void): void {
    held -= unfinished.get(crowdOut) ?? 0;
    unfinished.delete(crowdOut);
  }
}

function grown(buffer: Buffer, size: number, largest: number): Buffer {
  const next = Buffer.allocUnsafeSlow(Math.min(Math.max(2 * buffer.byteLength, size, smallest), largest));
  buffer.copy(next);
  return next;
}

/**
 * What is to leave in one turn of the event loop leaves at its end, one right after the other: waking whoever reads it
 * costs more than making it, and a peer of many connections that the first has woken is still awake for the next.
 */
export function createDepartures(): (depart: () => void) => void {
  let ready: (() => void)[] = [];
  return (depart) => {
    if (ready.push(depart) === 1) setImmediate(leave);
  };

  function leave(): void {
    const all = ready;
    ready = [];
    for (const depart of all) depart();
  }
}
