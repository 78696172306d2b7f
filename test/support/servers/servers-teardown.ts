import { rmSync } from 'node:fs';

/** Stops the servers that the setup started; existing servers continue. */
export default async function tearDown(): Promise<void> {
  const started = globalThis.docloomTestServers;
  if (!started) return;
  await started.running.stop();
  rmSync(started.dataDir, { recursive: true, force: true });
}
