interface StreamEvent {
  /** The last id so far. */
  readonly id: string;
  /** Empty for a heartbeat. */
  readonly data: string;
}

/** Reads server-sent events. EventSource cannot send the header with the token. */
export async function* readStream(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let [rest, id] = ['', ''];
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      id = fieldOf(block, 'id') ?? id;
      yield { id, data: fieldOf(block, 'data') ?? '' };
    }
  }
}

function fieldOf(block: string, name: string): string | undefined {
  const line = block.split('\n').find((line) => line.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}
