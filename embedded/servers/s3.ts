import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { createArchiveStep, createGoStep } from '../archive';
import { findOnPath } from '../paths';
import { isListening, loopback } from '../ports';
import { versions, findVersitygwRelease } from '../releases';
import { readStoredSecret } from '../secret';
import type { ServerRecipe } from '../server';

const title = 'S3 server';
const accessKey = 'docloom';

/** An S3 gateway to a folder. */
export const s3: ServerRecipe = {
  name: 's3',
  title,
  version: versions.versitygw,
  setting: 'DOCLOOM_S3_ENDPOINT',
  siblings: ['DOCLOOM_S3_ACCESS_KEY', 'DOCLOOM_S3_SECRET_KEY', 'DOCLOOM_S3_REGION', 'DOCLOOM_S3_BUCKET'],
  givenAddress: (env) => {
    const text = env['DOCLOOM_S3_ENDPOINT'];
    if (!text || !URL.canParse(text)) return undefined;
    const url = new URL(text);
    return { host: url.hostname, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) };
  },
  ports: { main: 9000 },
  folder: `versitygw-${versions.versitygw}`,
  findOnPath: (env) => findOnPath('versitygw', env),
  steps: [
    ...createArchiveStep(title, findVersitygwRelease(), '30 MB', 'a minute or less'),
    createGoStep(
      title,
      `github.com/versity/versitygw/cmd/versitygw@v${versions.versitygw}`,
      '84 MB',
      '1 to 2 minutes on 2 cores',
    ),
  ],
  launch: async (installation, ports, context) => {
    const objects = path.join(context.dataDir, 's3', 'objects');
    // Some file systems lack extended attributes, where the gateway would store metadata.
    const sidecar = path.join(context.dataDir, 's3', 'metadata');
    mkdirSync(objects, { recursive: true });
    mkdirSync(sidecar, { recursive: true });
    const command = statSync(installation.path).isDirectory()
      ? path.join(installation.path, 'versitygw')
      : installation.path;
    const args = ['--port', `${loopback}:${ports.main}`, '--quiet', 'posix', '--sidecar', sidecar, objects];
    return {
      command,
      args,
      env: {
        ...context.env,
        ROOT_ACCESS_KEY: accessKey,
        ROOT_SECRET_KEY: readStoredSecret(context.dataDir, 's3-secret'),
      },
    };
  },
  isReady: (ports) => isListening(loopback, ports.main),
  addresses: (ports, _installation, context) => ({
    DOCLOOM_S3_ENDPOINT: `http://${loopback}:${ports.main}`,
    DOCLOOM_S3_ACCESS_KEY: accessKey,
    DOCLOOM_S3_SECRET_KEY: readStoredSecret(context.dataDir, 's3-secret'),
  }),
};
