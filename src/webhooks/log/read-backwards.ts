import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Line, type OnDamage, recordIn } from '../../base/journal-lines.ts';

const chunkSize = 65_536;

/** Reads the records of a journal, last first. The caller has checked the first line. */
export function* readBack(
  path: string,
  onDamage?: OnDamage,
): Generator<{ readonly record: unknown; readonly next: number }> {
  const fd = openSync(path, 'r');
  try {
    for (const line of linesBack(fd, fstatSync(fd).size)) {
      const record = line.at === 0 ? undefined : recordIn(line, path, onDamage);
      if (record !== undefined) yield { record, next: line.at + line.bytes.length + 1 };
    }
  } finally {
    closeSync(fd);
  }
}

/** Yields complete lines, last first, of any length. */
function* linesBack(fd: number, size: number): Generator<Line> {
  let rest: Buffer[] | undefined;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - chunkSize);
    const chunk = chunkAt(fd, start, end);
    let upTo = chunk.length;
    for (let feed = feedBefore(upTo, chunk); feed !== -1; feed = feedBefore(upTo, chunk)) {
      if (rest) yield { at: start + feed + 1, bytes: Buffer.concat([chunk.subarray(feed + 1, upTo), ...rest]) };
      rest = [];
      upTo = feed;
    }
    rest?.unshift(chunk.subarray(0, upTo));
    end = start;
  }
  if (rest) yield { at: 0, bytes: Buffer.concat(rest) };
}

function feedBefore(end: number, chunk: Buffer): number {
  return end === 0 ? -1 : chunk.lastIndexOf('\n', end - 1);
}

/** May be shorter if the file was truncated meanwhile. */
function chunkAt(fd: number, start: number, end: number): Buffer {
  const chunk = Buffer.allocUnsafe(end - start);
  return chunk.subarray(0, readSync(fd, chunk, 0, chunk.length, start));
}
