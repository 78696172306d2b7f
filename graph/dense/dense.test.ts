import type { ModelRequest } from '../ask/language-model';
import type { Attributes } from '../core/value';
import { runPipeline } from '../pipeline';
import { invoiceTemplate } from '../template/test-support';
import { isAlike } from './reconcile';
import { packChunks } from './skeleton';
import { createScriptedModel, template, source, skeleton, fill, whole, small, run } from './test-support';

describe('the contract dense', () => {
  test('finds nodes first and then fills them, deepest first; the fields of the first phase identify them', async () => {
    const { made, names, asked } = run(whole, { parallel_workers: 1 });
    const { pydantic_model, problems, contract, dense_stats, graph } = await made;
    expect(pydantic_model).toEqual({
      order_no: 'A-17',
      placed: '2024-01-31',
      buyer: { name: 'Acme Ltd', city: 'London' },
      terms: { days: 30 },
      parcels: [
        { code: 'P-1', weight: 2.5, items: [{ name: 'bolts', pieces: 3 }], carrier: { name: 'Swift' } },
        { code: 'P-2', items: [{ name: 'nut', pieces: 1 }] },
      ],
    });
    expect([problems, contract.used]).toEqual([[], 'dense']);
    // An item may refer to a list of other items by name, so each is requested separately.
    expect(names()).toEqual(['dense_skeleton', 'dense_reconcile', ...Array.from({ length: 5 }, () => 'dense_fill')]);
    expect(asked[0]?.schema).toMatchObject({
      properties: {
        nodes: { items: { properties: { path: { enum: expect.arrayContaining(['parcels[].items[]']) } } } },
      },
    });
    expect(dense_stats).toMatchObject({
      skeleton_nodes: 6,
      skeleton_path_counts: { '': 1, buyer: 1, 'parcels[]': 2, 'parcels[].items[]': 2 },
      retention_pct: 100,
      chunk_coverage_pct: 100,
    });
    expect(graph.nodes.size).toBe(7);
  });

  test('facts whose text is not found have the chunks in which they were seen as evidence', async () => {
    const found = structuredClone(skeleton);
    found.nodes[1]!.ids = { name: 'Acme Limited' };
    const { graph, provenance } = await run({ dense_skeleton: [found] }).made;
    const buyer = [...graph.nodes.values()].find((node) => node['name'] === 'Acme Limited');
    expect(buyer?.['__provenance__']).toMatchObject({ match: 'observed', chunks: [0] });
    expect(provenance?.['bind_stats']).toMatchObject({ bound_observed: 2 });
  });

  test('a second run repeats no finished request and returns the same result', async () => {
    const kept = new Map<string, Attributes>();
    const options = { ...small, gleaning_enabled: true, dense_skeleton_batch_tokens: 16 };
    const first = createScriptedModel(whole);
    const onChunkDone = (key: string, result: Attributes) => void kept.set(key, result);
    const before = await runPipeline({ source, template, model: first.model, options, onChunkDone });
    const second = createScriptedModel({});
    const again = await runPipeline({ source, template, model: second.model, options, finished: kept });
    expect([second.asked.length, again.pydantic_model]).toEqual([0, before.pydantic_model]);
    expect([...kept.keys()].map((key) => key.replace(/-[0-9a-f]{16}$/, ''))).toEqual(
      expect.arrayContaining(['skeleton-0', 'skeleton-2', 'reconcile-0', 'fill-parcels-items--0', 'fill-root-0']),
    );
    for (const key of kept.keys()) expect(key).toMatch(/^[A-Za-z0-9-]+$/);
  });

  test('a failure of the model ends the run; finished requests are reported', async () => {
    const kept: string[] = [];
    const { model } = createScriptedModel({
      dense_skeleton: [skeleton],
      dense_fill: (request, count) => (count < 2 ? fill(request) : { text: undefined as never }),
    });
    const asking = {
      ...model,
      ask: (request: ModelRequest) => (kept.length > 3 ? Promise.reject(new Error('gone')) : model.ask(request)),
    };
    const failed = runPipeline({
      source,
      template,
      model: asking,
      options: { ...small, parallel_workers: 1 },
      onChunkDone: (key) => void kept.push(key),
    });
    await expect(failed).rejects.toMatchObject({ name: 'ExtractionError', retryable: true });
    expect(kept).toHaveLength(4);
  });

  test('a truncated answer about many chunks is requested again in halves; about one chunk, with a longer limit', async () => {
    const cut = {
      text: '{"nodes": [{"i": 1, "path": "", "ids": {"order_no": "A-17"}}, {"i": 2, "pa',
      isTruncated: true,
    };
    const asking = createScriptedModel({
      ...whole,
      dense_skeleton: ({ maxTokens, user }) => (user.includes('part 2') ? cut : maxTokens ? skeleton : cut),
    });
    const { dense_stats } = await runPipeline({ source, template, model: asking.model, options: small });
    expect(dense_stats).toMatchObject({ truncation_count: 5, split_count: 2 });
    expect(asking.asked.filter(({ maxTokens }) => maxTokens === 8184)).toHaveLength(3);
  });

  test('longer answers that are truncated too are not requested again, and complete members are used', async () => {
    const cut = {
      text: '{"nodes": [{"i": 1, "path": "", "ids": {"order_no": "A-17"}}, {"i": 2, "pa',
      isTruncated: true,
    };
    const asking = createScriptedModel({ ...whole, dense_skeleton: () => cut });
    const { pydantic_model } = await runPipeline({
      source,
      template,
      model: asking.model,
      options: { ...small, parallel_workers: 1 },
    });
    expect(pydantic_model).toMatchObject({ order_no: 'A-17' });
    expect(asking.asked.filter(({ name, maxTokens }) => name === 'dense_skeleton' && maxTokens)).toHaveLength(1);
  });

  test.each(['I cannot do that.', '', '{"nodes": "none"}', '[1, 2'])(
    'after the answer %p the question is repeated, then reduced to the minimum, then put to the document directly',
    async (answer) => {
      const { made, names } = run(
        { dense_skeleton: () => answer, direct_extraction: [{ order_no: 'A-17' }] },
        {},
        'Order A-17.',
      );
      const { pydantic_model, problems, contract, dense_stats } = await made;
      expect(pydantic_model).toEqual({ order_no: 'A-17' });
      expect(names()).toEqual(['dense_skeleton', 'dense_skeleton', 'dense_skeleton', 'direct_extraction']);
      expect(contract).toEqual({ used: 'direct', reason: 'the contract dense found no root' });
      expect(problems).toContain('chunk 0: the model did not answer with a list of entities');
      expect(dense_stats).toMatchObject({ quality_gate_failure: 'empty_skeleton', dropped_chunk_ids: [0] });
    },
  );

  test('the second pass adds missing nodes, at most as many again for a known path', async () => {
    const missed = {
      nodes: [
        { i: 7, path: 'parcels[].items[]', ids: { name: 'washer' }, p: 4, c: 3 },
        { i: 8, path: 'buyer', ids: { name: 'Zeta' }, p: 1 },
        { i: 9, path: 'parcels[]', ids: { code: 'P-3' }, p: 1, c: 3 },
        { i: 10, path: 'parcels[]', ids: { code: 'P-4' }, p: 1, c: 3 },
        { i: 11, path: 'parcels[]', ids: { code: 'P-5' }, p: 1, c: 3 },
        { i: 12, path: 'parcels[].items[]', ids: { name: 'late' }, p: 11, c: 3 },
      ],
    };
    const { made } = run({ dense_skeleton: [skeleton, missed], dense_fill: [] }, { gleaning_enabled: true });
    const { pydantic_model, dense_stats } = await made;
    expect(dense_stats).toMatchObject({ coverage_pass_recovered: 5 });
    const parcels = (pydantic_model['parcels'] as { code: string; items?: { name: string }[] }[]) ?? [];
    expect(parcels.map(({ code }) => code)).toEqual(['P-1', 'P-2', 'P-3', 'P-4']);
    expect(parcels[1]?.items?.map(({ name }) => name)).toContain('washer');
  });

  test('with one worker a batch gets the earlier nodes and may refer to them as parents', async () => {
    const asking = createScriptedModel({
      dense_skeleton: [
        { nodes: [skeleton.nodes[0]!] },
        { nodes: [{ i: 1, path: 'parcels[]', ids: { code: 'P-1' }, p: -1 }] },
        { nodes: [{ i: 1, path: 'parcels[].items[]', ids: { name: 'nut' }, p: -2 }] },
      ],
    });
    const options = { ...small, dense_skeleton_batch_tokens: 1, parallel_workers: 1 };
    const { pydantic_model } = await runPipeline({ source, template, model: asking.model, options });
    expect(pydantic_model).toEqual({ order_no: 'A-17', parcels: [{ code: 'P-1', items: [{ name: 'nut' }] }] });
    expect(asking.asked[2]?.user).toContain('{"i": -2, "path": "parcels[]", "ids": {"code": "P-1"}}');
  });

  test('nodes that the model declares equal are merged unless one chunk mentions both', async () => {
    const nodes = [
      skeleton.nodes[0]!,
      { i: 2, path: 'parcels[]', ids: { code: 'P-1' }, c: 1 },
      { i: 3, path: 'parcels[]', ids: { code: 'Parcel P-1' }, c: 2 },
      { i: 4, path: 'parcels[]', ids: { code: 'P-2' }, c: 2 },
      { i: 5, path: 'parcels[].items[]', ids: { name: 'bolt' }, p: 3, c: 2 },
    ];
    const merges = [
      { path: 'parcels[]', keep: 1, merge: [2] },
      { path: 'parcels[]', keep: 2, merge: [3] },
    ];
    const script = { dense_skeleton: [{ nodes }], dense_reconcile: [{ merges }] };
    const { pydantic_model, dense_stats } = await run(script).made;
    expect(pydantic_model['parcels']).toEqual([{ code: 'P-1', items: [{ name: 'bolt' }] }, { code: 'P-2' }]);
    expect(dense_stats).toMatchObject({ reconciliation_merged: 1 });
    const off = await run(script, { dense_dedupe: 'off' }).made;
    expect(off.pydantic_model['parcels']).toHaveLength(3);
    expect([isAlike('Acme Limited', 'Acme Limitad'), isAlike('Acme', 'Acne'), isAlike('', 'ab')]).toEqual([
      true,
      false,
      false,
    ]);
    const alike = [
      skeleton.nodes[0]!,
      { i: 2, path: 'parcels[]', ids: { code: 'Consignment 1' }, c: 1 },
      { i: 3, path: 'parcels[]', ids: { code: 'Consignmant 1' }, c: 2 },
    ];
    const aggressive = await run({ dense_skeleton: [{ nodes: alike }] }, { dense_dedupe: 'aggressive' }).made;
    expect(aggressive.pydantic_model['parcels']).toEqual([{ code: 'Consignment 1' }]);
  });

  test('fields are matched by identity if the answer repeats it, otherwise by position; extra ones are dropped', async () => {
    const items = [
      { code: 'P-2', weight: 2 },
      { code: 'P-1', weight: 1 },
      { code: 'P-9', weight: 9 },
    ];
    const { made } = run({
      dense_skeleton: [skeleton],
      dense_fill: (request) => (request.user.includes('"parcels[]", Parcel') ? { items } : {}),
    });
    const { pydantic_model, problems } = await made;
    expect(pydantic_model['parcels']).toMatchObject([
      { code: 'P-1', weight: 1 },
      { code: 'P-2', weight: 2 },
    ]);
    expect(problems).toContain('of 1 at "buyer" only the ids are known');
  });

  test('a node that occurs everywhere is filled from the beginning and the end that fit the context', async () => {
    const text = Array.from({ length: 400 }, (_, page) => `Page ${page} of order A-17 says little of itself.`).join(
      '\n\n',
    );
    const asking = createScriptedModel(
      { dense_skeleton: () => ({ nodes: [skeleton.nodes[0]!] }) },
      { contextTokens: 8_000 },
    );
    const options = { ...small, dense_dedupe: 'off', parallel_workers: 2 };
    await runPipeline({ source: text, template, model: asking.model, options });
    const [fill] = asking.asked.filter(({ name }) => name === 'dense_fill');
    expect([
      fill?.user.includes('Page 0 '),
      fill?.user.includes('Page 399 '),
      fill?.user.includes('Page 300 '),
    ]).toEqual([true, true, false]);
    expect(fill?.user.length).toBeLessThan(12_000);
    const full = createScriptedModel({ dense_skeleton: () => ({ nodes: [skeleton.nodes[0]!] }) });
    await runPipeline({
      source: text,
      template,
      model: full.model,
      options: { ...options, dense_fill_context: 'full' },
    });
    expect(full.asked.at(-1)?.user).toContain('Page 300 ');
  });

  test('truncated fields are requested again for half of the instances', async () => {
    const asking = createScriptedModel({
      dense_skeleton: [skeleton],
      dense_fill: (request) => {
        if (!request.user.includes('"parcels[]", Parcel')) return fill(request);
        if (request.user.includes('"P-1"}\n2. ')) return { text: '{"items": [{"weig', isTruncated: true };
        return { items: [{ weight: request.user.includes('1. {"code": "P-1"}') ? 1 : 2 }] };
      },
    });
    const { pydantic_model } = await runPipeline({ source, template, model: asking.model, options: small });
    expect(pydantic_model['parcels']).toMatchObject([
      { code: 'P-1', weight: 1 },
      { code: 'P-2', weight: 2 },
    ]);
  });

  test.each([
    ['the only candidate', [{ i: 2, path: 'parcels[]', ids: { code: 'P-1' }, c: 2 }], { c: 3 }, 'P-1'],
    ['the one of its chunk', skeleton.nodes.slice(2, 4), { c: 3 }, 'P-2'],
    [
      'the one that its text names before it',
      [
        { i: 3, path: 'parcels[]', ids: { code: 'P-1' }, c: 2 },
        { i: 4, path: 'parcels[]', ids: { code: 'Swift' }, c: 2 },
      ],
      { c: 2 },
      'P-1',
    ],
    ['the one that was listed last before it', skeleton.nodes.slice(2, 4), { c: 1 }, 'P-2'],
  ])('a thing without a parent belongs to %s', async (_case, parcels, place, code) => {
    const nodes = [
      skeleton.nodes[0]!,
      ...parcels,
      { i: 9, path: 'parcels[].items[]', ids: { name: 'bolts' }, ...place },
    ];
    const { pydantic_model } = await run({ dense_skeleton: [{ nodes }] }).made;
    const owner = (pydantic_model['parcels'] as Attributes[]).find((parcel) => parcel['items']);
    expect(owner?.['code']).toBe(code);
  });

  test('a node without a parent is dropped and reported', async () => {
    const nodes = [skeleton.nodes[0]!, { i: 2, path: 'parcels[].items[]', ids: { name: 'bolts' } }];
    const { pydantic_model, problems, dense_stats } = await run({ dense_skeleton: [{ nodes }] }).made;
    expect([pydantic_model, dense_stats?.['retention_pct']]).toEqual([{ order_no: 'A-17' }, 0]);
    expect(problems.join()).toMatch(/bolts.* is dropped/);
  });

  test('equal identities below different parents stay two nodes, below one parent they are one', async () => {
    const items = ['3', '4', '3'].map((p, index) => ({
      i: 10 + index,
      path: 'parcels[].items[]',
      ids: { name: 'bolt' },
      p: Number(p),
    }));
    const nodes = [...skeleton.nodes.slice(0, 4), ...items];
    const { pydantic_model } = await run({ dense_skeleton: [{ nodes }] }).made;
    expect(pydantic_model['parcels']).toEqual(['P-1', 'P-2'].map((code) => ({ code, items: [{ name: 'bolt' }] })));
  });

  test.each([
    ['an identity in the text', { order_no: 'A-17' }, 'A-17'],
    ['an invented identity', { order_no: 'B-99' }, undefined],
    ['a phrase without a digit', { order_no: 'was placed by' }, undefined],
  ])('a document without identity is requested again; %s', async (_case, answer, number) => {
    for (const ids of [{}, { order_no: 'Order' }]) {
      const nodes = [{ i: 1, path: '', ids }, skeleton.nodes[1]!];
      const { made, names } = run({ dense_skeleton: [{ nodes }], dense_root_identity: [answer] });
      expect((await made).pydantic_model['order_no']).toBe(number);
      expect(names()).toContain('dense_root_identity');
    }
  });

  test('a component between two entities is created where an entity needs it', async () => {
    const nodes = [skeleton.nodes[0]!, { i: 2, path: 'terms.bank', ids: { name: 'City Bank' }, p: 1 }];
    const { pydantic_model } = await run({ dense_skeleton: [{ nodes }], dense_fill: [] }).made;
    expect(pydantic_model).toEqual({ order_no: 'A-17', terms: { bank: { name: 'City Bank' } } });
  });

  test('chunks are packed in order up to the limit', () => {
    const chunk = (id: number, size: number) => ({ id, text: 'x'.repeat(size), headings: [], pages: [], boxes: [] });
    const packed = packChunks([chunk(0, 5), chunk(1, 5), chunk(2, 30), chunk(3, 1)], 10, (text) => text.length);
    expect(packed.map((batch) => batch.map(({ id }) => id))).toEqual([[0, 1], [2], [3]]);
  });

  test('the debug trace contains the states between the phases', async () => {
    const { trace_data } = await run(whole, { debug: true }).made;
    const steps = trace_data?.['steps'] as { name: string; artifacts: Attributes }[];
    expect(steps.map(({ name }) => name)).toEqual([
      'pipeline',
      'docling_conversion',
      'data_extraction',
      'graph_mapping',
    ]);
    expect(steps[2]?.artifacts).toMatchObject({
      dense: { merge: { attached_exact: 5 }, assembled: { order_no: 'A-17' } },
    });
  });
});

test('one-to-one extracts directly and reports it', async () => {
  const { model } = createScriptedModel({ direct_extraction: [{ number: '1' }] });
  const options = { processing_mode: 'one-to-one', extraction_contract: 'dense' };
  const { problems } = await runPipeline({ source: 'Invoice 1', template: invoiceTemplate, model, options });
  expect(problems).toEqual(['processing_mode one-to-one uses the contract direct, not dense']);
});
