'use strict';

// Simulates a process before or after a restart of this machine, at another time.
const fs = require('node:fs');

const { BIZMSG_TEST_BOOT: boot = '', BIZMSG_TEST_AHEAD: ahead = '0' } = process.env;
const { openSync, readFileSync } = fs;
const { now } = Date;
let opened = -1;

Object.assign(fs, {
  /** @type {(path: string, ...more: readonly unknown[]) => number} */
  openSync(path, ...more) {
    const fd = Reflect.apply(openSync, fs, [path, ...more]);
    if (path === '/proc/sys/kernel/random/boot_id') opened = fd;
    return fd;
  },
  /** @type {(file: string | number, options?: 'utf8') => unknown} */
  readFileSync(file, options) {
    if (file !== opened) return readFileSync(file, options);
    opened = -1;
    return Buffer.from(`${boot}\n`);
  },
});
Date.now = () => now() + Number(ahead);
