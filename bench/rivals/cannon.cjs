// Posts one body repeatedly with autocannon; prints time and CPU. Arguments: the folder of autocannon, and the load.
const autocannon = require(process.argv[2]);
const load = JSON.parse(process.argv[3]);
// The interval at which autocannon checks whether it is done.
autocannon({ ...load, sampleInt: 20 }, (error, result) => {
  if (error) throw error;
  if (result['2xx'] !== load.amount) throw new Error(`${result['2xx']} of ${load.amount} requests succeeded`);
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ seconds: result.duration, cpu: user + system }));
});
