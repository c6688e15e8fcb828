// A process on this machine before or after a restart, at another time.
const fs = require('node:fs');
const boot = process.env.BIZMSG_TEST_BOOT;
const ahead = Number(process.env.BIZMSG_TEST_AHEAD ?? 0);
const { readFileSync } = fs;
/** @param {Parameters<typeof readFileSync>} words */
const read = (...words) => (words[0] === '/proc/sys/kernel/random/boot_id' ? `${boot}\n` : readFileSync(...words));
Reflect.set(fs, 'readFileSync', read);
const { now } = Date;
Date.now = () => now() + ahead;
