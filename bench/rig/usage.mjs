// CPU and memory of a process on Linux; undefined elsewhere.
import { readFileSync } from 'node:fs';

/** CPU time of all threads in microseconds, with a resolution of 10 ms. */
export function cpuOf(pid) {
  const fields = read(`/proc/${pid}/stat`)?.split(') ').at(-1).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Resident memory in bytes. */
export function memoryOf(pid) {
  return statusOf(pid, 'VmRSS');
}

/** Peak resident memory in bytes. */
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
