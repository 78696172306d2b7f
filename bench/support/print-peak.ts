// Loaded before a program (node --require): prints the highest memory of its process, in MB, when it ends.
process.on('exit', () => {
  process.stderr.write(`peak ${Math.round((process.resourceUsage().maxRSS * 1_024) / 1e6)} MB\n`);
});
