'use strict';

// Simulates a machine whose folders are on NFS.
const fs = require('node:fs');

const { readFileSync } = fs;

/** @type {(path: string, options: 'utf8') => unknown} */
const read = (path, options) =>
  path === '/proc/self/mountinfo' ? '1 0 0:1 / / rw - nfs4 server:/ rw\n' : readFileSync(path, options);
Object.assign(fs, { readFileSync: read, statfsSync: () => ({ type: 0x6969 }) });
