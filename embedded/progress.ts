import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** `252 MB`: decimal units, as on download pages. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1000)} kB`;
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** `8 s` or `5 min 12 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Size in bytes of a file, or of all files below a folder. */
export function computeSize(file: string): number {
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(file, { withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .reduce((sum, entry) => sum + computeSize(path.join(file, entry.name)), 0);
}
