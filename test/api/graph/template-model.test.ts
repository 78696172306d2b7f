import { readConfig } from '../../../model/config';
import type { GraphTemplateDraft } from '../../../model/graph/wire-templates';
import { createTemplateModel } from '../../../services/graph/template-model';
import { createLlm } from '../../../services/llm/llm';
import { memoryDocumentSets } from '../../support/api/document-set-services';
import { alice, bob, startApi, type TestApi } from '../../support/api/server';
import { createModelServer, type ModelServer } from '../../support/servers/model-server';

/** Only the operator's model improves drafts, and it sees only what the user may read. */
const text = 'Order number: PO-1\n\nBuyer: Harbour Board\n\nOrder date: 2 May 2025\n';
const improved = {
  root: 'Order',
  classes: [
    {
      name: 'Order',
      graph_id_fields: ['number'],
      fields: [
        { name: 'number', description: 'Order number' },
        { name: 'buyer', model: 'Party', edge_label: 'ORDERED_BY' },
      ],
    },
    { name: 'Party', graph_id_fields: ['name'], fields: [{ name: 'name' }] },
  ],
};

let model: ModelServer;
let llm: ReturnType<typeof createLlm>;
let api: TestApi;
let setId: string;
beforeAll(async () => {
  model = await createModelServer();
  const config = readConfig({ LOCALMODEL_HOST: `${model.url}/v1`, DOCLOOM_TEMPLATE_MODEL: 'approved' });
  llm = createLlm(config);
  const sets = memoryDocumentSets();
  api = await startApi({ ...sets, templateModel: createTemplateModel(llm, config) });
  const { set } = await sets.documentSets.getOrCreate({ name: 'orders', owner: 'alice', readers: ['bob'] });
  setId = set.id;
  const origin = { jobId: 'job', runId: 'run', operator: 'set', startedAt: '2026-01-01T00:00:00.000Z' };
  await sets.documentSets.write(setId, origin, [
    { id: 'one', name: 'one.md', path: 'one', content: text, allowed_users: ['alice', 'bob'] },
    { id: 'two', name: 'two.md', path: 'two', content: `${text}Canary: quay-7741\n`, allowed_users: ['alice'] },
  ]);
});
beforeEach(() => {
  model.reset();
  model.answer = () => improved;
});
afterAll(async () => {
  await api.close();
  llm.close();
  await model.stop();
});

const draft = (body: object, user = alice) => api.call('POST', '/api/v1/graphs/template', { user, body });
const getCode = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { errors?: { code: string }[] }).errors?.[0]?.code,
];

test('the model of the operator improves the draft, and the reply contains the usage', async () => {
  const { status, body } = await draft({ text });
  const { template, model: by, markdown } = body as unknown as GraphTemplateDraft;
  expect([status, model.asked.map((item) => item.model)]).toEqual([200, ['approved']]);
  expect(template).toMatchObject({ root: 'Order', classes: { Party: { graph_id_fields: ['name'] } } });
  expect(by).toMatchObject({ improved: true, usage: { requests: 1 } });
  expect(markdown).toContain('ORDERED_BY');
});

test('a prose sample without labels has a template if the model finds one', async () => {
  expect((await draft({ text: 'Dear all, the Harbour Board orders.' })).status).toBe(200);
  model.fault = () => ({ status: 500, body: { error: { message: 'broken' } } });
  expect(getCode(await draft({ text: 'Dear all, the Harbour Board orders.' }))).toEqual([
    400,
    'GRAPH_CONFIGURATION_INVALID',
  ]);
});

test('without use_model the model is not called, and no request can name another one', async () => {
  const { body } = await draft({ text, use_model: false });
  expect([(body as unknown as GraphTemplateDraft).model, model.asked]).toEqual([null, []]);
  for (const more of [{ model_id: 'other' }, { provider_config: { model_id: 'other' } }, { use_model: 'other' }])
    expect(getCode(await draft({ text, ...more }))).toEqual([400, 'VALIDATION_ERROR']);
  expect(model.asked).toEqual([]);
});

test('the model sees only what the user may read', async () => {
  const { body } = await draft({ document_set_id: setId }, bob);
  expect((body as unknown as GraphTemplateDraft).samples).toEqual(['one']);
  expect(model.asked).toHaveLength(1);
  expect(JSON.stringify(model.asked)).not.toContain('quay-7741');
  expect(getCode(await draft({ document_set_id: setId, document_ids: ['two'] }, bob))).toEqual([
    404,
    'DOCUMENT_NOT_FOUND',
  ]);
  expect(model.asked).toHaveLength(1);
});

test('if the model fails, the reply is the draft of the rules, or an error if the model was required', async () => {
  model.fault = () => ({ status: 401, body: { error: { message: 'wrong key' } } });
  const { status, body } = await draft({ text });
  const { template, model: by } = body as unknown as GraphTemplateDraft;
  expect([status, by?.improved, by?.error?.code]).toEqual([200, false, 'HOSTEDMODEL_AUTH_FAILED']);
  expect(template).toMatchObject({ classes: { [(template as { root: string }).root]: { fields: { buyer: {} } } } });
  const required = await draft({ text, use_model: true });
  expect(getCode(required)).toEqual([502, 'EXTERNAL_SERVICE_ERROR']);
  // The reply reveals neither the address of the operator's model nor its answer.
  for (const details of [body, required.body]) expect(JSON.stringify(details)).not.toMatch(/127\.0\.0\.1|wrong key/);
  model.fault = () => undefined;
  model.answer = () => 'no template';
  expect(getCode(await draft({ text, use_model: true }))).toEqual([422, 'GRAPH_EXTRACTION_FAILED']);
  // There is a second attempt, but no third.
  expect(model.asked.length).toBe(4);
});

test('a user can have one draft at a time improved by the model', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let reached: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => (reached = resolve));
  model.answer = async () => {
    reached();
    await held;
    return improved;
  };
  const first = draft({ text });
  await isAsked;
  expect(getCode(await draft({ text }))).toEqual([429, 'TOO_MANY_REQUESTS']);
  release();
  expect((await first).status).toBe(200);
  expect((await draft({ text }, bob)).status).toBe(200);
});

test('a server without a model drafts by rules; requiring one is an error', async () => {
  const plain = await startApi({});
  const ask = (body: object) => plain.call('POST', '/api/v1/graphs/template', { user: alice, body });
  expect(await ask({ text })).toMatchObject({ status: 200, body: { model: null } });
  expect(getCode(await ask({ text, use_model: true }))).toEqual([503, 'SERVICE_UNAVAILABLE']);
  await plain.close();
});
