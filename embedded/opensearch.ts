import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fetchArchive } from './archive';
import { download } from './download';
import { copyArtifacts } from './maven';
import { lowerPrivileges } from './opensearch-user';
import { findOnPath } from './paths';
import { loopback } from './ports';
import { knnRelease, opensearchRelease, versions } from './releases';
import type { Context, InstallStep, Installation, Launch, Ports, ServerRecipe } from './server';
import { javaHome, runTool } from './tools';

const title = 'OpenSearch';
const plugin = path.join('plugins', 'opensearch-knn');

const release = opensearchRelease();
const downloadStep: InstallStep[] = release
  ? [
      {
        origin: 'download',
        text: 'downloading the minimal distribution from artifacts.opensearch.org and the k-NN plugin from Maven Central',
        size: '230 MB',
        time: '1 to 3 minutes',
        needs: [],
        asks: [release.checksumUrl ?? release.url, `${knnRelease.url}.sha1`],
        run: async (folder, context) => {
          await fetchArchive(title, release, folder, context);
          const zip = path.join(folder, 'knn.zip');
          await download(title, knnRelease, zip, context.log);
          mkdirSync(path.join(folder, plugin), { recursive: true });
          await runTool(title, path.join(folder, 'jdk', 'bin', 'jar'), ['xf', zip], context, {
            cwd: path.join(folder, plugin),
          });
          rmSync(zip);
        },
      },
    ]
  : [];

/** OpenSearch with the k-NN plugin (engine lucene), without security: it listens on loopback only. */
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
    // Without the plugin there are no vector fields, so such an installation does not help.
    return home && existsSync(path.join(home, plugin)) ? home : undefined;
  },
  steps: [
    ...downloadStep,
    {
      origin: 'build',
      text: 'assembling the minimal distribution and the k-NN plugin from Maven Central',
      size: '60 MB',
      time: 'about half a minute',
      needs: ['java', 'mvn'],
      run: assemble,
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

async function assemble(folder: string, context: Context): Promise<void> {
  const version = versions.opensearch;
  const unpacked = path.join(folder, 'unpacked');
  mkdirSync(unpacked);
  await copyArtifacts(
    title,
    [{ group: 'org.opensearch.distribution.integ-test-zip', id: 'opensearch', version, type: 'zip' }],
    'zip',
    unpacked,
    context,
  );
  const root = path.join(unpacked, `opensearch-${version}`);
  for (const name of readdirSync(root)) renameSync(path.join(root, name), path.join(folder, name));
  rmSync(unpacked, { recursive: true });
  const knn = path.join(folder, plugin);
  mkdirSync(knn, { recursive: true });
  await copyArtifacts(
    title,
    [{ group: 'org.opensearch.plugin', id: 'opensearch-knn', version: `${version}.0`, type: 'zip' }],
    'zip',
    knn,
    context,
  );
  // The plugin extends the scripting module, which this distribution lacks.
  const painless = path.join(folder, 'modules', 'lang-painless');
  mkdirSync(painless, { recursive: true });
  await copyArtifacts(
    title,
    [{ group: 'org.opensearch.plugin', id: 'lang-painless', version, without: 'org.opensearch' }],
    'jar',
    painless,
    context,
  );
  const descriptor = [
    'description=Painless scripting language',
    `version=${version}`,
    'name=lang-painless',
    'classname=org.opensearch.painless.PainlessPlugin',
  ];
  descriptor.push(
    'java.version=11',
    `opensearch.version=${version}`,
    'extended.plugins=',
    'has.native.controller=false',
  );
  writeFileSync(path.join(painless, 'plugin-descriptor.properties'), `${descriptor.join('\n')}\n`);
  const permissions = ['createClassLoader', 'getClassLoader', 'accessDeclaredMembers'].map(
    (name) => `  permission java.lang.RuntimePermission "${name}";\n`,
  );
  writeFileSync(
    path.join(painless, 'plugin-security.policy'),
    `grant {\n${permissions.join('')}  permission org.opensearch.script.ClassPermission "<<STANDARD>>";\n};\n`,
  );
}

async function launch(installation: Installation, ports: Ports, context: Context): Promise<Launch> {
  const folder = path.join(context.dataDir, 'opensearch');
  const config = path.join(folder, 'config');
  const temporary = path.join(folder, 'tmp');
  for (const name of [config, temporary, path.join(folder, 'data'), path.join(folder, 'logs')])
    mkdirSync(name, { recursive: true });
  writeConfiguration(config, folder, ports);
  const bundled = existsSync(path.join(installation.path, 'jdk'));
  const env = {
    ...context.env,
    JAVA_HOME: bundled ? path.join(installation.path, 'jdk') : javaHome(title, context.env).home,
    OPENSEARCH_JAVA_HOME: undefined,
    OPENSEARCH_PATH_CONF: config,
    OPENSEARCH_TMPDIR: temporary,
    OPENSEARCH_JAVA_OPTS: '-Xms512m -Xmx512m',
  };
  return lowerPrivileges(
    { command: 'bash', args: [path.join(installation.path, 'bin', 'opensearch')], env, cwd: folder },
    [folder],
  );
}

function writeConfiguration(config: string, folder: string, ports: Ports): void {
  const settings: Record<string, string | number | boolean> = {
    'cluster.name': 'docloom',
    'node.name': 'docloom',
    'discovery.type': 'single-node',
    'network.host': loopback,
    'http.port': ports.main,
    'transport.port': ports['transport'] ?? 0,
    'path.data': path.join(folder, 'data'),
    'path.logs': path.join(folder, 'logs'),
    // A laptop's disk is often fuller than a cluster would accept; indexes would become read-only.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
  writeFileSync(
    path.join(config, 'opensearch.yml'),
    Object.entries(settings)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
      .join(''),
  );
  // The shipped options would write garbage collector logs and heap dumps into the installation.
  const options = [
    '-XX:+UseG1GC',
    '-XX:G1ReservePercent=25',
    '-XX:InitiatingHeapOccupancyPercent=30',
    '-Djava.io.tmpdir=${OPENSEARCH_TMPDIR}',
  ];
  options.push(
    `-XX:ErrorFile=${path.join(folder, 'logs', 'java-error-%p.log')}`,
    '18-:-Djava.security.manager=allow',
    '20-:--add-modules=jdk.incubator.vector',
  );
  options.push(
    '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=org.opensearch.secure_sm.SecuredForkJoinWorkerThreadFactory',
  );
  writeFileSync(path.join(config, 'jvm.options'), `${options.join('\n')}\n`);
  const logging = [
    'status = error',
    'appender.console.type = Console',
    'appender.console.name = console',
    'appender.console.layout.type = PatternLayout',
  ];
  logging.push(
    'appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n',
    'rootLogger.level = info',
    'rootLogger.appenderRef.console.ref = console',
  );
  writeFileSync(path.join(config, 'log4j2.properties'), `${logging.join('\n')}\n`);
}
