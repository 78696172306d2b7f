import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findOnPath } from '../paths';
import { loopback } from '../ports';
import { versions } from '../releases';
import type { Context, Installation, Launch, Ports, ServerRecipe } from '../server';
import { findJavaHome } from '../tools';
import { assembleOpensearch, completeOpensearch } from './opensearch-assembly';
import { writeOpensearchConfig } from './opensearch-config';
import { lowerPrivileges } from './opensearch-user';

const title = 'OpenSearch';
const plugin = path.join('plugins', 'opensearch-knn');

/** OpenSearch with the k-NN plugin (engine lucene), without security because it listens on loopback only. */
export const opensearch: ServerRecipe = {
  name: 'search',
  title,
  version: versions.opensearch,
  setting: 'SEARCH_HOST',
  siblings: ['SEARCH_PORT', 'SEARCH_USE_SSL', 'SEARCH_VERIFY_CERTS', 'SEARCH_USERNAME', 'SEARCH_PASSWORD'],
  givenAddress: (env) =>
    env['SEARCH_HOST'] ? { host: env['SEARCH_HOST'], port: Number(env['SEARCH_PORT'] ?? 9200) } : undefined,
  ports: { main: 9200, transport: 9300 },
  folder: `opensearch-${versions.opensearch}`,
  findOnPath: (env) => {
    const file = findOnPath('opensearch', env);
    const home = file && path.dirname(path.dirname(realpathSync(file)));
    // An installation without the plugin has no vector fields and is not usable.
    return home && existsSync(path.join(home, plugin)) ? home : undefined;
  },
  steps: [
    {
      origin: 'build',
      text: 'assembling the minimal distribution and the k-NN plugin from Maven Central',
      size: '60 MB',
      time: 'about half a minute',
      needs: ['java', 'mvn'],
      run: (folder, context) => assembleOpensearch(title, folder, context),
    },
  ],
  runsOnJava: (installation) => !existsSync(path.join(installation.path, 'jdk')),
  launch,
  isReady: async (ports) => {
    try {
      const health = await fetch(`http://${loopback}:${ports.main}/_cluster/health?wait_for_status=yellow&timeout=1s`, {
        signal: AbortSignal.timeout(3000),
      });
      return health.ok;
    } catch {
      return false;
    }
  },
  addresses: (ports) => ({ SEARCH_HOST: loopback, SEARCH_PORT: String(ports.main) }),
};

async function launch(installation: Installation, ports: Ports, context: Context): Promise<Launch> {
  // An installation on PATH belongs to the user and must not be changed.
  if (installation.origin !== 'path') await completeOpensearch(title, installation.path, context);
  const folder = path.join(context.dataDir, 'opensearch');
  const config = path.join(folder, 'config');
  // OpenSearch's start script splits its options at spaces.
  const temporary = /\s/.test(folder) ? tmpdir() : path.join(folder, 'tmp');
  for (const name of [config, temporary, path.join(folder, 'data'), path.join(folder, 'logs')])
    mkdirSync(name, { recursive: true });
  writeOpensearchConfig(config, folder, ports);
  const bundled = existsSync(path.join(installation.path, 'jdk'));
  const env = {
    ...context.env,
    JAVA_HOME: bundled ? path.join(installation.path, 'jdk') : findJavaHome(title, context.env).home,
    OPENSEARCH_JAVA_HOME: undefined,
    OPENSEARCH_PATH_CONF: config,
    OPENSEARCH_TMPDIR: temporary,
    // The C1 compiler only: a local server runs for minutes, too short for C2 to pay off.
    OPENSEARCH_JAVA_OPTS: '-Xms512m -Xmx512m -XX:TieredStopAtLevel=1',
  };
  return lowerPrivileges(
    { command: 'bash', args: [path.join(installation.path, 'bin', 'opensearch')], env, cwd: folder },
    [folder],
  );
}
