import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { loopback } from '../ports';
import type { Ports } from '../server';

/** Writes settings, Java options and logging to `config`. OpenSearch writes all its files below `folder`. */
export function writeOpensearchConfig(config: string, folder: string, ports: Ports): void {
  const settings: Record<string, string | number | boolean> = {
    'cluster.name': 'docloom',
    'node.name': 'docloom',
    'discovery.type': 'single-node',
    'network.host': loopback,
    'http.port': ports.main,
    'transport.port': ports['transport'] ?? 0,
    'path.data': path.join(folder, 'data'),
    'path.logs': path.join(folder, 'logs'),
    // The disk of a laptop is often fuller than a cluster accepts, and indexes would become read-only.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
  writeFileSync(
    path.join(config, 'opensearch.yml'),
    Object.entries(settings)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
      .join(''),
  );
  // The default options write garbage collector logs and heap dumps to the installation. Values must not contain spaces.
  const options = [
    '-XX:+UseG1GC',
    '-XX:G1ReservePercent=25',
    '-XX:InitiatingHeapOccupancyPercent=30',
    '-XX:+ErrorFileToStdout',
    '-Djava.io.tmpdir=${OPENSEARCH_TMPDIR}',
    '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=org.opensearch.secure_sm.SecuredForkJoinWorkerThreadFactory',
    '18-:-Djava.security.manager=allow',
    '20-:--add-modules=jdk.incubator.vector',
  ];
  writeFileSync(path.join(config, 'jvm.options'), `${options.join('\n')}\n`);
  const logging = [
    'status = error',
    'appender.console.type = Console',
    'appender.console.name = console',
    'appender.console.layout.type = PatternLayout',
    'appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n',
    'rootLogger.level = info',
    'rootLogger.appenderRef.console.ref = console',
  ];
  writeFileSync(path.join(config, 'log4j2.properties'), `${logging.join('\n')}\n`);
}
