import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Owner of a listening port: a process of the group, another process, nobody, or unknown if the system does not report it. */
export type Listener = 'ours' | 'other' | 'nobody' | 'unknown';

/**
 * Checks whether the process group owns the listener on a port. When a port is taken, another program answers while our server
 * is about to exit; only this check detects it.
 */
export function findListener(port: number, processGroup: number): Listener {
  if (process.platform !== 'linux') return 'unknown';
  const sockets = listListeningSockets(port);
  if (sockets.size === 0) return 'nobody';
  let isHidden = false;
  for (const pid of listProcesses(processGroup)) {
    try {
      const folder = `/proc/${pid}/fd`;
      if (readdirSync(folder).some((name) => sockets.has(readLink(`${folder}/${name}`)))) return 'ours';
    } catch (error) {
      isHidden ||= (error as NodeJS.ErrnoException).code === 'EACCES';
    }
  }
  return isHidden ? 'unknown' : 'other';
}

/** `socket:[INODE]` of each socket that listens on the port, on any address. */
function listListeningSockets(port: number): Set<string> {
  const sockets = new Set<string>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readLines(file)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === '0A' && Number.parseInt(local.split(':').at(-1) ?? '', 16) === port)
        sockets.add(`socket:[${inode}]`);
    }
  }
  return sockets;
}

function listProcesses(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readGroup(pid) === group);
}

function readGroup(pid: number): number {
  const [stat = ''] = readLines(`/proc/${pid}/stat`);
  // The name is in parentheses and may contain anything; state, parent and group follow it.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    // The process has ended, or the machine has no IPv6.
    return [];
  }
}

function readLink(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
