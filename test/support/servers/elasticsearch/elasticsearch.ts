import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatPom } from '../../../../embedded/maven';
import { cachedServer, type StartedServer, startListening } from '../cached-server';

/** The last version that runs on Java 17. */
const version = '8.19.7';
const descriptor = {
  name: 'transports',
  description: 'HTTP for one node',
  version: '1',
  'elasticsearch.version': version,
  'java.version': '17',
  classname: 'LoneTransports',
};

/**
 * Starts one node of Elasticsearch, without security. It consists of the libraries on Maven Central and LoneTransports.java: the server as
 * a whole, and its HTTP server, are in no package registry. Modules are missing: no scripts, no `GET /`, no delete by query.
 */
export async function startElasticsearch(): Promise<StartedServer> {
  const folder = await cachedServer({
    folder: `elasticsearch-${version}-1`,
    needs: 'Java 17 (a JDK), mvn and Maven Central',
    async install(part, run) {
      const tools = { cwd: part, env: process.env };
      const artifacts = [{ group: 'org.elasticsearch', id: 'elasticsearch', version }];
      writeFileSync(path.join(part, 'pom.xml'), formatPom(artifacts));
      await run('mvn', ['-q', '-B', '-C', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], tools);
      const plugin = path.join(part, 'plugin');
      mkdirSync(plugin);
      // The plugin is a file of its own: a class may not be on the class path and in a plugin.
      for (const [name, classes] of [
        ['ElasticsearchServer', 'main'],
        ['LoneTransports', 'transports'],
      ] as const)
        await run('javac', ['-nowarn', '-cp', 'lib/*', '-d', classes, path.join(__dirname, `${name}.java`)], tools);
      await run('jar', ['cf', path.join(plugin, 'transports.jar'), '-C', 'transports', '.'], tools);
      const lines = Object.entries(descriptor).map(([name, value]) => `${name}=${value}\n`);
      writeFileSync(path.join(plugin, 'plugin-descriptor.properties'), lines.join(''));
    },
  });
  return await startListening(({ port, data }) => ({
    file: 'java',
    args: [
      ...['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Djava.io.tmpdir=${data}`],
      ...['-cp', `${path.join(folder, 'main')}:${path.join(folder, 'lib')}/*`],
      ...['ElasticsearchServer', data, path.join(folder, 'plugin'), String(port)],
    ],
  }));
}
