import type { FeedRecord } from '../sandbox/control/feed.ts';

interface Part {
  readonly records: readonly FeedRecord[];
  /** After these records. */
  readonly cursor: string;
}

/** Reads lines of JSON. An EventSource could not send the token in a header. */
export async function* readStream(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Part, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}
