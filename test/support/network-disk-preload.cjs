'use strict';

// Simulates a machine whose folders are on NFS.
const fs = require('node:fs');

Object.assign(fs, { statfsSync: () => ({ type: 0x6969 }) });
