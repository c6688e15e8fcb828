// The least that reading a journal takes: every line parsed, and kept. Says how many there were.
const { readFileSync } = require('node:fs');
const lines = readFileSync(process.argv[2]).toString().split('\n').filter(Boolean);
const records = lines.map((line) => JSON.parse(line));
console.log(records.length);
setInterval(() => records, 60_000);
