// What a process has used so far, as Linux counts it; undefined elsewhere.
import { readFileSync } from 'node:fs';

/** Microseconds of all its threads. The kernel counts hundredths of a second. */
export function cpuOf(pid) {
  const fields = read(`/proc/${pid}/stat`)?.split(') ').at(-1).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Bytes that it has in memory now. */
export function memoryOf(pid) {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes && Number(kilobytes) * 1_024;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
