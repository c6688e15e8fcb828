// What a process has used so far, as Linux counts it; undefined elsewhere.
import { readFileSync } from 'node:fs';

/** Microseconds of all its threads. The kernel counts hundredths of a second. */
export function cpuOf(pid) {
  const fields = read(`/proc/${pid}/stat`)?.split(') ').at(-1).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Bytes that it has in memory now. */
export function memoryOf(pid) {
  return statusOf(pid, 'VmRSS');
}

/** The most that it ever had there. */
export function peakOf(pid) {
  return statusOf(pid, 'VmHWM');
}

function statusOf(pid, field) {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes && Number(kilobytes) * 1_024;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
