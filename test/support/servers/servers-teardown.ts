import { rmSync } from 'node:fs';

/** Stops what the setup started; servers that were given continue. */
export default async function tearDown(): Promise<void> {
  const started = globalThis.docloomTestServers;
  if (!started) return;
  await started.running.stop();
  rmSync(started.dataDir, { recursive: true, force: true });
}
