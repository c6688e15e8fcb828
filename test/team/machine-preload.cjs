'use strict';

// Simulates a process of another machine.
const fs = require('node:fs');
const os = require('node:os');

const { TEST_MACHINE: machine = '' } = process.env;
const { readFileSync } = fs;

/** @type {(path: string, options: 'utf8') => unknown} */
const read = (path, options) =>
  path === '/proc/sys/kernel/random/boot_id' ? `${machine}\n` : readFileSync(path, options);
Object.assign(fs, { readFileSync: read });
Object.assign(os, { hostname: () => machine });
