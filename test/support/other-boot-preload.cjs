'use strict';

// Simulates a process before or after a restart of this machine, at another time.
const fs = require('node:fs');

const { BIZMSG_TEST_BOOT: boot = '', BIZMSG_TEST_AHEAD: ahead = '0' } = process.env;
const { readFileSync } = fs;
const { now } = Date;

/** @type {(path: string, options: 'utf8') => unknown} */
const read = (path, options) =>
  path === '/proc/sys/kernel/random/boot_id' ? `${boot}\n` : readFileSync(path, options);
Object.assign(fs, { readFileSync: read });
Date.now = () => now() + Number(ahead);
