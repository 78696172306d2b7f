import { randomUUID } from 'node:crypto';
import { addUsage, createEmptyUsage } from '../../model/llm/model-host';
import { createEmbedder } from '../../services/embedding/embedder';
import { createEmbeddingCache } from '../../services/embedding/embedding-cache';
import { connectMongo, type Mongo } from '../../services/storage/mongo';
import { createModelServer, type ModelServer } from '../support/servers/model-server';

const text = 'The merger with Kestrel closes on Monday.';
let mongo: Mongo;
let server: ModelServer;
let embedder: ReturnType<typeof createEmbedder>;

beforeAll(async () => {
  server = await createModelServer();
  const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
  url.pathname = `/embedding_attacks_${randomUUID().slice(0, 8)}`;
  mongo = connectMongo(url.href);
  const settings = { DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1'], LOCALMODEL_HOST: server.url };
  embedder = createEmbedder(settings, { cache: createEmbeddingCache(mongo, 1) });
});
afterAll(async () => {
  embedder.close();
  await mongo.collection('embedding_cache').drop();
  await mongo.close();
  await server.stop();
});

/** Whether a run for these people finds a text in the cache or calls the model. */
async function found(...people: string[]) {
  server.asked = [];
  const usage = createEmptyUsage();
  const config = { type: 'local_api', provider_config: { model_id: 'm' } };
  const hear = (used: typeof usage) => addUsage(usage, used);
  await embedder.forPeople(people).embed([text], config, new AbortController().signal, { onUsage: hear });
  return { asked: server.asked.filter(({ purpose }) => purpose === 'embed').length, remembered: usage.fromCache };
}
const asked = { asked: 1, remembered: 0 };
const remembered = { asked: 0, remembered: 1 };

test('costs, counts and times do not reveal that others embedded a text', async () => {
  expect(await found('alice')).toEqual(asked);
  expect(await found('bob')).toEqual(asked);
  expect(await found('alice', 'bob')).toEqual(asked);
  expect(await found('alice,bob')).toEqual(asked);
  expect(await found()).toEqual(asked);
  expect(await found('alice')).toEqual(remembered);
  expect(await found('bob', 'alice', 'bob')).toEqual(remembered);
});
