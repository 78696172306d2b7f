import { readPeakMb } from './peak-memory';

// Loaded before a program (node --require): prints the highest memory and the processor time of its process when it ends.
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const seconds = ((user + system) / 1e6).toFixed(1);
  process.stderr.write(`peak ${Math.round(readPeakMb())} MB, ${seconds} s of processor time\n`);
});
