import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { openAzureContainer } from '../../../services/cloud/azure-container';
import type { CloudStore } from '../../../services/cloud/cloud-store';
import { openGoogleBucket } from '../../../services/cloud/google-bucket';
import { readGoogleKey } from '../../../services/cloud/google-key';
import { createGoogleTokens } from '../../../services/cloud/google-token';
import { createAddressGuard } from '../../../services/net/address-guard';
import { collectBytes } from '../../../services/storage/collect-bytes';
import { azuriteAccount, startAzurite } from '../../support/servers/azurite';
import { startElasticsearch } from '../../support/servers/elasticsearch/elasticsearch';
import { startGoogleStorage } from '../../support/servers/google-storage';
import { startMilvus } from '../../support/servers/milvus-server';
import { createModelServer } from '../../support/servers/model-server';
import { createContainer } from '../../support/sources/azure';
import { createGoogleBucket } from '../../support/sources/gcs';
import { documentsIn, loggedIn, runToEnd } from '../../support/system/over-http';
import { createSystem, type System } from '../../support/system/system';
import {
  buildFiles,
  type Evidence,
  findForbidden,
  getCanary,
  listReaders,
  readersOf,
  type Username,
  users,
} from './documents';
import { buildFlow, middle, readings, type Step } from './flows';

/** Each user exports rows that mix all they may read to servers of their own, which must receive nothing else. */
let servers: Awaited<ReturnType<typeof startServers>>;
let system: System;
let address: string;
let folder: string;
let people: Record<Username, Awaited<ReturnType<typeof loggedIn>>>;

const { signal } = new AbortController();
const guard = createAddressGuard(['127.0.0.1']);
const mark = randomUUID().slice(0, 8);
const s3 = {
  endpoint: process.env['DOCLOOM_S3_ENDPOINT'] ?? 'http://127.0.0.1:9000',
  accessKey: process.env['DOCLOOM_S3_ACCESS_KEY'] ?? '',
  secretKey: process.env['DOCLOOM_S3_SECRET_KEY'] ?? '',
};
const s3Client = new S3Client({
  endpoint: s3.endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey },
});
const answerModel = 'answers';

async function startServers() {
  // One after the other: together, they take longer to listen than each may.
  const elasticsearch = await startElasticsearch();
  const milvus = await startMilvus();
  const azurite = await startAzurite();
  const google = await startGoogleStorage();
  const model = await createModelServer();
  const places = await Promise.all(
    users.map(async (user) => {
      const bucket = `${user}-${mark}`;
      await s3Client.send(new CreateBucketCommand({ Bucket: bucket }));
      return [
        user,
        {
          bucket,
          container: await createContainer(azurite.url),
          googleBucket: await createGoogleBucket(google),
          index: `elastic-${user}-${mark}`,
          collection: `milvus_${user}_${mark}`,
        },
      ] as const;
    }),
  );
  return {
    google,
    elasticsearch: `http://127.0.0.1:${elasticsearch.port}`,
    milvus,
    model,
    places: Object.fromEntries(places) as Record<Username, (typeof places)[number][1]>,
    stop: () => Promise.all([azurite, google, elasticsearch, milvus, model].map((server) => server.stop())),
  };
}

beforeAll(async () => {
  servers = await startServers();
  servers.model.answer = ({ messages }) => messages.at(-1)?.content.slice(0, 2_000) ?? '';
  // No user ingests for everybody, and no user is an administrator.
  system = createSystem({
    DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
    DOCLOOM_INGEST_PRINCIPALS: 'user:nobody',
    DOCLOOM_ADMIN_GROUPS: 'admins',
    DOCLOOM_EXPORT_PRINCIPALS: users.map((user) => `user:${user}`).join(','),
    LOCALMODEL_HOST: servers.model.url,
    DOCLOOM_ANSWER_MODEL: answerModel,
  });
  const files = await buildFiles();
  folder = documentsIn(system, 'docs', files, { files: listReaders(files) });
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
  const clients = await Promise.all(users.map((user) => loggedIn(address, user)));
  people = Object.fromEntries(users.map((user, index) => [user, clients[index]])) as typeof people;
}, 10 * 60_000);
afterAll(async () => {
  await system.stop();
  await servers.stop();
  s3Client.destroy();
});

/** Every server that takes rows, and the index that questions are answered from. */
function listEnds(user: Username): Step[] {
  const { bucket, container, googleBucket, index, collection } = servers.places[user];
  const toFiles = (destination: string, connection_params: object): Step => ({
    type: 'storage',
    config: { destination, connection_params, formats: ['jsonl'] },
  });
  return [
    toFiles('s3', { bucket, endpoint_url: s3.endpoint, access_key: s3.accessKey, secret_key: s3.secretKey }),
    toFiles('azure', { container_url: container, account_key: azuriteAccount.key }),
    toFiles('gcs', {
      bucket: googleBucket,
      endpoint_url: servers.google.endpoint,
      service_account_key: JSON.stringify(servers.google.key),
    }),
    {
      type: 'storage',
      config: {
        destination: 'elasticsearch',
        connection_params: { endpoint_url: servers.elasticsearch, index, api_key: 'a2V5' },
      },
    },
    {
      type: 'vectordb',
      config: {
        provider: 'milvus',
        index_name: collection,
        provider_config: { host: servers.milvus.host, port: servers.milvus.port },
      },
    },
    { type: 'vectordb', config: { provider: 'opensearch', index_name: `canary-${user}-${mark}` } },
  ];
}

/** Operators of the round of canaries that carry text from row to row: alice's fold rows, bob's claim readers, carol's stay apart. */
const steps: Readonly<Record<Username, readonly Step[]>> = {
  alice: middle.slice(0, 2),
  bob: [
    {
      type: 'sql_filter',
      config: {
        filter_criteria:
          'SELECT i.* REPLACE (concat(i.content, chr(10), (SELECT max(content) FROM input)) AS content) FROM input i',
      },
    },
    { type: 'ededup' },
  ],
  carol: [],
};

async function runAs(owner: Username): Promise<void> {
  const { client } = people[owner];
  const name = `canary-servers-${owner}`;
  const { project_id } = await client.projects.create({ name, members: users.filter((user) => user !== owner) });
  const drawn = {
    owner,
    reading: readings.at(-1)!,
    steps: steps[owner],
    cutter: { type: 'chunker', config: { chunk_size: 60 } },
    embedder: { type: 'embeddings', config: { type: 'hashing' } },
    ends: listEnds(owner),
    fault: undefined,
    path: 'folder' as const,
  };
  const flow = buildFlow(drawn, { name, folder, modelUrl: '', exportRoot: '', postgresPort: 0 });
  const { flow_id } = await client.flows.create({ ...flow, project_id });
  const run = await runToEnd(client, flow_id);
  expect([owner, run.status, run.operators.map(({ in: rows }) => rows > 0)]).toEqual([
    owner,
    expect.stringMatching(/^COMPLETED/),
    run.operators.map(() => true),
  ]);
}

async function readStore(store: CloudStore): Promise<string> {
  const texts: string[] = [];
  for await (const { key } of store.list({ prefix: '', recursive: true }, signal)) {
    const body = await store.get(key, signal);
    texts.push(`${key} ${body ? Buffer.from(await collectBytes(body.parts)).toString() : ''}`);
  }
  store.close();
  return texts.join('\n');
}

async function readBucket(bucket: string): Promise<string> {
  const { Contents = [] } = await s3Client.send(new ListObjectsV2Command({ Bucket: bucket }));
  const texts = Contents.map(async ({ Key = '' }) => {
    const { Body } = await s3Client.send(new GetObjectCommand({ Bucket: bucket, Key }));
    return `${Key} ${await Body?.transformToString()}`;
  });
  return (await Promise.all(texts)).join('\n');
}

async function readElasticsearch(index: string): Promise<string> {
  await fetch(`${servers.elasticsearch}/${index}/_refresh`, { method: 'POST' });
  const reply = await fetch(`${servers.elasticsearch}/${index}/_search?size=1000`);
  const mapping = await fetch(`${servers.elasticsearch}/${index}`);
  return `${await reply.text()} ${await mapping.text()}`;
}

async function readMilvus(collection: string): Promise<string> {
  const client = new MilvusClient({ address: `${servers.milvus.host}:${servers.milvus.port}` });
  try {
    await client.loadCollection({ collection_name: collection });
    const { data } = await client.query({ collection_name: collection, filter: 'id != ""', output_fields: ['*'] });
    return JSON.stringify([data, await client.describeCollection({ collection_name: collection })]);
  } finally {
    await client.closeConnection();
  }
}

/** What each server of a user received. */
async function readServers(user: Username): Promise<Record<string, string>> {
  const { bucket, container, googleBucket, index, collection } = servers.places[user];
  const { endpoint, key } = servers.google;
  const keyText = JSON.stringify(key);
  const google = { bucket: googleBucket, endpoint, keyText, key: readGoogleKey(keyText) };
  const tokens = createGoogleTokens();
  return {
    S3: await readBucket(bucket),
    Azure: await readStore(openAzureContainer({ containerUrl: container, accountKey: azuriteAccount.key }, guard)),
    'Google Cloud Storage': await readStore(openGoogleBucket(google, 'read_write', { guard, tokens })),
    Elasticsearch: await readElasticsearch(index),
    Milvus: await readMilvus(collection),
  };
}

const own = (user: Username) => Object.keys(readersOf).filter((document) => readersOf[document]?.includes(user));
const holdsOwn = (user: Username, text: string) => own(user).some((document) => text.includes(getCanary(document)));

test('S3, Azure, Google Cloud Storage, Elasticsearch and Milvus of a user receive only what the user may read', async () => {
  await Promise.all(users.map(runAs));
  const evidence: Evidence[] = [];
  for (const user of users)
    for (const [server, text] of Object.entries(await readServers(user))) {
      expect([server, user, holdsOwn(user, text)]).toEqual([server, user, true]);
      evidence.push({ what: `${server} of ${user}`, having: [user], text });
    }
  expect(evidence).toHaveLength(users.length * 5);
  expect(evidence.flatMap((one) => findForbidden(one))).toEqual([]);
});

test.each(['text', 'hybrid'] as const)(
  'an answer in the mode %s, and what its model is sent, hold only what the asker may read',
  async (mode) => {
    const { model } = servers;
    for (const user of users) {
      const proven: boolean[] = [];
      for (const question of ['What grazes at dawn, canary of the report?', getCanary('a'), 'canary report animal']) {
        model.reset();
        model.answer = ({ messages }) => messages.at(-1)?.content.slice(0, 4_000) ?? '';
        const reply = await fetch(`${address}/api/v1/documents/ask`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${people[user].token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ question, mode }),
        });
        const text = await reply.text();
        expect([reply.status, text]).toEqual([200, expect.any(String)]);
        // The asker names a canary, which proves nothing.
        const sent = JSON.stringify(model.asked.filter(({ purpose }) => purpose === 'chat')).replaceAll(question, '');
        const evidence = [
          { what: `the answer for ${user}`, having: [user], text: text.replaceAll(question, '') },
          { what: `what the answer for ${user} sent to its model`, having: [user], text: sent },
        ];
        expect(evidence.flatMap((one) => findForbidden(one))).toEqual([]);
        proven.push(holdsOwn(user, sent));
      }
      // Without it, the silence about others proves nothing.
      expect(proven).toContain(true);
    }
  },
);
