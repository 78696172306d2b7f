// Loaded before a program (node --require): prints the highest memory and the processor time of its process when it ends.
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const peak = Math.round((process.resourceUsage().maxRSS * 1_024) / 1e6);
  process.stderr.write(`peak ${peak} MB, ${((user + system) / 1e6).toFixed(1)} s of processor time\n`);
});
