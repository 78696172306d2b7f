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
  return await foundWith({ model_id: 'm' }, text, people);
}

async function foundWith(provider_config: object, text: string, people: readonly string[]) {
  server.asked = [];
  const usage = createEmptyUsage();
  const config = { type: 'local_api', provider_config };
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

test.each([
  ['a name in another case', ['ALICE']],
  ['a name with a blank', ['alice ']],
  ['a name that ends early', ['alice\0']],
  ['names that look like a list', ['alice","bob']],
  ['a list of one and nobody', ['alice', '']],
  ['a name that looks like a query', ['{"$ne":""}']],
])('%s is not the same person', async (_what, people) => {
  await found('alice');
  await found('alice', 'bob');
  expect(await found(...people)).toEqual(asked);
});

test('another model, another host or another text is never answered from what alice remembers', async () => {
  await found('alice');
  const people = ['alice'];
  expect(await foundWith({ model_id: 'M' }, text, people)).toEqual(asked);
  expect(await foundWith({ model_id: 'm', api_base: `${server.url}/v1` }, `${text} `, people)).toEqual(asked);
  expect(await foundWith({ model_id: 'm' }, text.replace('K', '\u212a'), people)).toEqual(asked);
  // A host that bob chooses must not put its vectors in place of those of the model of the operator.
  const other = await createModelServer();
  other.vector = () => Array(8).fill(9);
  const planted = { type: 'local_api', provider_config: { model_id: 'm', api_base: `${other.url}/v1` } };
  const { signal } = new AbortController();
  const sentence = 'Never embedded before.';
  const own = { type: 'local_api', provider_config: { model_id: 'm' } };
  const wrong = await embedder.forPeople(people).embed([sentence], planted, signal, {});
  const right = await embedder.forPeople(people).embed([sentence], own, signal, {});
  expect(right).not.toEqual(wrong);
  await other.stop();
});
