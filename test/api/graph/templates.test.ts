import { templateFrom } from '../../../graph';
import type { User } from '../../../model/access';
import type { GraphTemplateDraft, GraphTemplates } from '../../../model/graph/wire-templates';
import { memoryDocumentSets } from '../../support/api/document-set-services';
import { alice, bob, startApi, type TestApi } from '../../support/api/server';

const order = (number: string, buyer: string) =>
  `Order number: ${number}\n\nBuyer: ${buyer}\n\nOrder date: 2 May 2025\n`;
const origin = { jobId: 'job', runId: 'run', operator: 'set', startedAt: '2026-01-01T00:00:00.000Z' };

let api: TestApi;
let setId: string;
beforeEach(async () => {
  const sets = memoryDocumentSets();
  api = await startApi({ ...sets });
  const { set } = await sets.documentSets.getOrCreate({ name: 'orders', owner: 'alice', readers: ['bob'] });
  setId = set.id;
  const row = (id: string, content: string, allowed_users: string[]) => {
    return { id, name: `order-${id}.md`, path: id, content, allowed_users };
  };
  await sets.documentSets.write(setId, origin, [
    row('one', order('PO-1', 'Harbour Board'), ['alice', 'bob']),
    row('two', order('PO-2', 'Leith Works'), ['alice', 'bob']),
    row('secret', 'Secret clause: Quiet Quay\n', ['alice']),
  ]);
});
afterEach(() => api.close());

const draft = (body: object, user: User = alice) => api.call('POST', '/api/v1/graphs/template', { user, body });
const getCode = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { errors?: { code: string }[] }).errors?.[0]?.code,
];

test('templates of all document classes are listed, all valid, or the requested one', async () => {
  const all = (await api.call('GET', '/api/v1/graphs/templates', { user: bob })).body as unknown as GraphTemplates;
  expect(all.templates.length).toBeGreaterThan(40);
  for (const { template } of all.templates) expect(templateFrom(template).classes.size).toBeGreaterThan(0);
  const path = '/api/v1/graphs/templates?document_type=invoice';
  const body = (await api.call('GET', path, { user: bob })).body as unknown as GraphTemplates;
  expect(body.templates).toMatchObject([{ document_type: 'invoice', template: { root: 'Invoice' } }]);
});

test('a template is drafted from documents with common fields, and named after their kind', async () => {
  const { status, body } = await draft({ document_set_id: setId, document_ids: ['one', 'two'] });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    root: 'Order',
    samples: ['order-one', 'order-two'],
    template: { classes: { Order: { graph_id_fields: ['order_number'], fields: { buyer: { type: 'str' } } } } },
  });
  expect((body as unknown as GraphTemplateDraft).markdown).toContain('order_number');
});

test('only documents that the reader may read are taken from a set; others are missing', async () => {
  const own = await draft({ document_set_id: setId }, bob);
  expect((own.body as unknown as GraphTemplateDraft).samples).toEqual(['order-one', 'order-two']);
  expect(JSON.stringify(own.body)).not.toMatch(/secret|quay/i);
  const hidden = await draft({ document_set_id: setId, document_ids: ['secret'] }, bob);
  expect(getCode(hidden)).toEqual([404, 'DOCUMENT_NOT_FOUND']);
  const stranger: User = { username: 'dora', email: '', full_name: '', groups: [] };
  expect(getCode(await draft({ document_set_id: setId }, stranger))).toEqual([404, 'DOCUMENT_SET_NOT_FOUND']);
});

test.each([
  ['no source', {}, 'VALIDATION_ERROR'],
  ['two sources', { text: 'Number: 1', document_ids: ['one'] }, 'VALIDATION_ERROR'],
  ['nothing labelled', { text: 'Dear all, nothing was ordered.' }, 'GRAPH_CONFIGURATION_INVALID'],
  ['an unknown member', { text: 'Number: 1', model: 'm' }, 'VALIDATION_ERROR'],
])('%s is rejected', async (_name, body, code) => {
  expect(getCode(await draft(body))).toEqual([400, code]);
});

test('only the beginning of a long document is read', async () => {
  const rows = 'a row without a label\n'.repeat(8_000);
  const { status, body } = await draft({ text: `Order number: 1\n${rows}`, root: 'Order' });
  expect([status, (body as unknown as GraphTemplateDraft).root]).toEqual([200, 'Order']);
});
