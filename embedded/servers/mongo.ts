import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { copyArtifacts } from '../maven';
import { findOnPath } from '../paths';
import { answers, loopback } from '../ports';
import { versions } from '../releases';
import type { ServerRecipe } from '../server';
import { javaArguments, javaHome } from '../tools';

const title = 'MongoDB';
const group = 'de.bwaldvogel';
/**
 * Twenty times the usual thresholds of the second compiler. At those it works for seconds on whatever a young server does; never
 * used, sorting 50,000 flows takes 2.4 s instead of 0.9.
 */
const compilers = [
  '-XX:Tier4InvocationThreshold=100000',
  '-XX:Tier4MinInvocationThreshold=12000',
  '-XX:Tier4CompileThreshold=300000',
  '-XX:Tier4BackEdgeThreshold=800000',
];

/** `mongod` when it is on PATH, else a server of the same protocol that keeps its data in one H2 file. */
export const mongo: ServerRecipe = {
  name: 'mongo',
  title,
  version: `compatible server ${versions.mongoJavaServer}`,
  setting: 'MONGODB_URL',
  siblings: [],
  givenAddress: (env) => {
    const host = /^mongodb:\/\/(?:[^@/]*@)?([^:,/?]+)(?::(\d+))?/.exec(env['MONGODB_URL'] ?? '');
    return host?.[1] ? { host: host[1], port: Number(host[2] ?? 27017) } : undefined;
  },
  ports: { main: 27017 },
  folder: `mongo-java-server-${versions.mongoJavaServer}`,
  findOnPath: (env) => findOnPath('mongod', env),
  steps: [
    {
      origin: 'build',
      text: 'fetching the MongoDB-compatible Java server from Maven Central',
      size: '6 MB',
      time: 'some seconds',
      needs: ['java', 'mvn'],
      run: (folder, context) =>
        copyArtifacts(
          title,
          [
            { group, id: 'mongo-java-server', version: versions.mongoJavaServer },
            { group, id: 'mongo-java-server-h2-backend', version: versions.mongoJavaServer },
            { group: 'org.slf4j', id: 'slf4j-nop', version: versions.slf4j },
          ],
          'jar',
          folder,
          context,
        ),
    },
  ],
  runsOnJava: (installation) => installation.origin !== 'path',
  launch: async (installation, ports, context) => {
    const folder = path.join(context.dataDir, 'mongo');
    mkdirSync(folder, { recursive: true });
    if (statSync(installation.path).isFile()) {
      const database = path.join(folder, 'mongod');
      mkdirSync(database, { recursive: true });
      return {
        command: installation.path,
        args: ['--dbpath', database, '--port', String(ports.main), '--bind_ip', loopback],
        env: context.env,
      };
    }
    const { java } = javaHome(title, context.env);
    const args = javaArguments(installation.path, 'MongoServer.java', { heap: '512m', compilers });
    return {
      command: java,
      args: [...args, path.join(folder, 'mongo.mv.db'), loopback, String(ports.main)],
      env: context.env,
    };
  },
  isReady: (ports) => answers(loopback, ports.main),
  addresses: (ports) => ({ MONGODB_URL: `mongodb://${loopback}:${ports.main}/docloom` }),
};
