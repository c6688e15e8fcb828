// Posts one body over and over, as fast as it is answered, over so many connections; says what it took. Given are the
// folder of autocannon and the load.
const autocannon = require(process.argv[2]);
const load = JSON.parse(process.argv[3]);
// It looks only now and then whether it is done.
autocannon({ ...load, sampleInt: 20 }, (error, result) => {
  if (error) throw error;
  if (result['2xx'] !== load.amount) throw new Error(`of ${load.amount}, ${result['2xx']} were answered well`);
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ seconds: result.duration, cpu: user + system }));
});
