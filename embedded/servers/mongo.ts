import { chmodSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { verifyArtifacts } from '../artifact-checksums';
import { copyArtifacts } from '../maven';
import { findOnPath } from '../paths';
import { loopback } from '../ports';
import { versions } from '../releases';
import type { Context, Installation, ServerRecipe } from '../server';
import { createJavaArguments, findJavaHome } from '../tools';
import { answersPing } from './mongo-ping';

const title = 'MongoDB';
const group = 'de.bwaldvogel';
/**
 * Twenty times the default thresholds of the C2 compiler. With the defaults it spends seconds compiling code of a server that has
 * just started. Without C2, sorting 50,000 flows takes 2.4 s instead of 0.9 s.
 */
const compilers = [
  '-XX:Tier4InvocationThreshold=100000',
  '-XX:Tier4MinInvocationThreshold=12000',
  '-XX:Tier4CompileThreshold=300000',
  '-XX:Tier4BackEdgeThreshold=800000',
];

/** In bytes. Systems allow slightly more, including the terminating zero byte. */
const longestSocket = 100;

/**
 * The socket of the Java server. The server has no passwords, so the socket is in a folder that only the owner may enter.
 * Undefined for `mongod`, on Windows, and if the path of the data folder is too long; a loopback port is used then.
 */
function findSocket({ origin }: Installation, { dataDir }: Context): string | undefined {
  const socket = path.join(dataDir, 'mongo', 'mongo.sock');
  const isPossible = process.platform !== 'win32' && Buffer.byteLength(socket) <= longestSocket;
  return origin !== 'path' && isPossible ? socket : undefined;
}

/** `mongod` if it is on PATH, else a compatible server that stores its data in one H2 file. */
export const mongo: ServerRecipe = {
  name: 'mongo',
  title,
  version: `compatible server ${versions.mongoJavaServer}`,
  setting: 'MONGODB_URL',
  siblings: [],
  givenAddress: (env) => {
    const host = /^mongodb:\/\/(?:[^@/]*@)?([^:,/?]+)(?::(\d+))?/.exec(env['MONGODB_URL'] ?? '');
    return host?.[1] && !/%2f/i.test(host[1]) ? { host: host[1], port: Number(host[2] ?? 27017) } : undefined;
  },
  ports: { main: 27017 },
  folder: `mongo-java-server-${versions.mongoJavaServer}`,
  findOnPath: (env) => findOnPath('mongod', env),
  steps: [
    {
      origin: 'build',
      text: 'fetching the MongoDB-compatible Java server from Maven Central',
      size: '6 MB',
      time: 'a few seconds',
      needs: ['java', 'mvn'],
      run: async (folder, context) => {
        await copyArtifacts(
          title,
          [
            { group, id: 'mongo-java-server', version: versions.mongoJavaServer },
            { group, id: 'mongo-java-server-h2-backend', version: versions.mongoJavaServer },
            { group: 'org.slf4j', id: 'slf4j-nop', version: versions.slf4j },
          ],
          { type: 'jar', folder },
          context,
        );
        verifyArtifacts(title, folder, 'jar');
      },
    },
  ],
  runsOnJava: (installation) => installation.origin !== 'path',
  launch: async (installation, ports, context) => {
    const folder = path.join(context.dataDir, 'mongo');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    if (statSync(installation.path).isFile()) {
      const database = path.join(folder, 'mongod');
      mkdirSync(database, { recursive: true });
      return {
        command: installation.path,
        args: ['--dbpath', database, '--port', String(ports.main), '--bind_ip', loopback],
        env: context.env,
      };
    }
    const { java } = findJavaHome(title, context.env);
    const args = createJavaArguments(installation.path, 'MongoServer.java', { heap: '512m', compilers });
    const socket = findSocket(installation, context);
    const listen = socket ? [socket] : [loopback, String(ports.main)];
    return { command: java, args: [...args, path.join(folder, 'mongo.mv.db'), ...listen], env: context.env };
  },
  isReady: (ports, installation, context) => {
    const socket = findSocket(installation, context);
    return answersPing(socket ? { path: socket } : { host: loopback, port: ports.main });
  },
  addresses: (ports, installation, context) => {
    const socket = findSocket(installation, context);
    return { MONGODB_URL: `mongodb://${socket ? encodeURIComponent(socket) : `${loopback}:${ports.main}`}/docloom` };
  },
};
