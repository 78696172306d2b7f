import { readFileSync } from 'node:fs';

/**
 * The highest memory of this process in MB. The system's own figure, `maxRSS`, begins with the memory that the parent had when it
 * started this process, so it is only the answer where /proc is missing.
 */
export function readPeakMb(): number {
  return (readHighWaterKb() * 1_024) / 1e6;
}

function readHighWaterKb(): number {
  try {
    const [, kb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kb !== undefined) return Number(kb);
  } catch {
    // Systems other than Linux.
  }
  return process.resourceUsage().maxRSS;
}
