import * as fs from 'node:fs';

/** Opens nothing but a file: to read from a pipe that nobody writes to would never end, whatever signal comes. */
export function openRegular(path: string, flags: number = fs.constants.O_RDONLY): number {
  const fd = fs.openSync(path, flags | fs.constants.O_NONBLOCK, 0o600);
  const found = fs.fstatSync(fd);
  if (found.isFile()) return fd;
  fs.closeSync(fd);
  throw Object.assign(new Error(`${path} is not a file`), { code: found.isDirectory() ? 'EISDIR' : 'EFTYPE', path });
}

export function readRegular(path: string): Buffer {
  const fd = openRegular(path);
  try {
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
