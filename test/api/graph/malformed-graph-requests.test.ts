import { createGraphClient } from '../../support/api/graph-client';

const { create, current, getBytes, post } = createGraphClient();

test('no malformed request causes an internal error', async () => {
  const { default: fc } = await import('fast-check');
  const { id } = await create();
  await current.graphs.complete(id);
  const malformed = fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue(),
    fc.record(
      {
        $ref: fc.constantFrom('#/$defs/A', '#', '#/properties/a', '../x', ''),
        title: fc.jsonValue(),
        type: fc.constantFrom('object', 'array', 'string', 'null', ['string', 'null'], 7),
        properties: fc.dictionary(fc.constantFrom('a', 'id', '__proto__', 'constructor', ''), fc.jsonValue()),
        'x-graph-id-fields': fc.jsonValue(),
        $defs: fc.dictionary(fc.constantFrom('A', '__proto__'), fc.jsonValue()),
        items: fc.jsonValue(),
        anyOf: fc.jsonValue(),
        root: fc.jsonValue(),
        classes: fc.dictionary(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
    fc.string(),
  );
  const body = fc.record(
    {
      document_id: fc.oneof(fc.constant('invoice'), fc.string(), fc.jsonValue()),
      task_id: fc.oneof(fc.string(), fc.jsonValue()),
      document_index: fc.oneof(fc.integer(), fc.jsonValue()),
      template: fc.oneof(
        malformed,
        malformed.map((value) => JSON.stringify(value)),
      ),
      options: fc.oneof(
        fc.jsonValue(),
        fc.record(
          { backend: fc.constantFrom('rules', 'llm', 'vlm'), provider_config: fc.jsonValue(), formats: fc.jsonValue() },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: ['template'] },
  );
  const runs = { numRuns: 150 };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        body,
        body.map(({ template: given }) => ({ document_id: 'invoice', template: given })),
      ),
      async (input) => {
        expect((await post(input)).status).toBeLessThan(500);
      },
    ),
    runs,
  );
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (name, value) => {
      for (const path of [
        `${id}/files/${encodeURIComponent(name)}`,
        `${id}/result?format=${encodeURIComponent(value)}`,
        `?state=${encodeURIComponent(value)}&limit=${encodeURIComponent(name)}`,
        encodeURIComponent(name),
      ])
        expect((await getBytes(path)).status).toBeLessThan(500);
    }),
    { numRuns: 40 },
  );
});
