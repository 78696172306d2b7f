import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { cachedServer, startListening, type StartedServer } from './cached-server';

/** The newest version that runs on Node.js 20. */
const version = '3.35.0';

/** The account and key of every Azurite, which its documentation names. */
export const azuriteAccount = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};

/** Azurite, the vendor's Azure Blob Storage on one machine, from the npm registry. */
export async function startAzurite(): Promise<StartedServer & { url: string }> {
  const folder = await cachedServer({
    folder: `azurite-${version}`,
    needs: `npm, and the package azurite@${version}`,
    async install(part, run) {
      // Without a package of its own, npm would install into the one above.
      writeFileSync(path.join(part, 'package.json'), JSON.stringify({ private: true }));
      const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `azurite@${version}`];
      await run('npm', args, { cwd: part, env: process.env });
    },
  });
  const server = await startListening(({ port }) => ({
    file: process.execPath,
    args: [
      path.join(folder, 'node_modules', 'azurite', 'dist', 'src', 'blob', 'main.js'),
      ...['--blobHost', '127.0.0.1', '--blobPort', String(port), '--inMemoryPersistence'],
      ...['--silent', '--disableTelemetry', '--skipApiVersionCheck', '--disableProductStyleUrl'],
    ],
  }));
  return { ...server, url: `http://127.0.0.1:${server.port}/${azuriteAccount.name}` };
}
