import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCacheFolder } from '../../../embedded/paths';
import { type RunningServers, startServers } from '../../../embedded/servers';

declare global {
  var docloomTestServers: { running: RunningServers; dataDir: string } | undefined;
}

/**
 * Starts every server that the environment does not name, and passes the addresses to the test files. If a server is missing,
 * the run fails.
 */
export default async function setUp(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'docloom-test-'));
  const running = await startServers({
    dataDir,
    cacheDir: readCacheFolder(process.env),
    env: { ...process.env },
    log: (line) => process.stderr.write(`${line}\n`),
    which: { temporal: true, mongo: true, search: true, ldap: true, s3: true },
  });
  Object.assign(process.env, running.env);
  globalThis.docloomTestServers = { running, dataDir };
}
