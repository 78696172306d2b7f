import { createModelServer } from '../test/model-server';
import type { LanguageModel } from '../graph/language-model';
import { addUsage, noUsage } from '../model/model-host';
import { createLlm } from './llm';
import { languageModelOf } from './llm-ask';

test('a model of the service is one of the graph library; answers are handed over as they are', async () => {
  const server = await createModelServer();
  const llm = createLlm({ DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1'], LOCALMODEL_HOST: server.url });
  const usage = noUsage();
  const model: LanguageModel = languageModelOf(
    llm,
    { type: 'local_api', provider_config: { model_id: 'm' } },
    { contextTokens: 8_000, onUsage: (used) => addUsage(usage, used) },
  );
  server.answer = () => 'Here: {"a": 1,}';
  server.finish = 'length';
  const schema = { type: 'object', properties: { a: { type: 'integer' } } };
  await expect(model.ask({ name: 'Model of pages!', system: 'Read.', user: 'one', schema })).resolves.toEqual({
    text: 'Here: {"a": 1,}',
    isTruncated: true,
  });
  expect(server.asked[0]).toMatchObject({ schema, messages: [{ role: 'system', content: 'Read.' }, { role: 'user' }] });
  expect(usage.requests).toBe(1);
  expect(model.contextTokens).toBe(8_000);
  llm.close();
  await server.stop();
});
