// Parses and stores every line of a journal; prints their number.
const { readFileSync } = require('node:fs');
const lines = readFileSync(process.argv[2]).toString().split('\n').filter(Boolean);
const records = lines.map((line) => JSON.parse(line));
console.log(records.length);
setInterval(() => records, 60_000);
