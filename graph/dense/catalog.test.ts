import { chooseContract } from '../ask/contract';
import { runPipeline } from '../pipeline';
import { templateFrom } from '../template/template';
import { buildCatalog, buildFillForm } from './catalog';
import { createScriptedModel, template, source, whole, small, run } from './test-support';

describe('the contract that auto selects', () => {
  const most = { outputTokens: 4092, canChunk: true };
  test.each([
    ['what one answer can hold', { ...most, contentChars: 16_368, contextTokens: 32_000 }, 'direct'],
    ['a character more', { ...most, contentChars: 16_369, contextTokens: 32_000 }, 'dense'],
    ['a context that is too small', { ...most, contentChars: 400, contextTokens: 4_100 }, 'dense'],
    ['an unknown context', { ...most, contentChars: 400 }, 'direct'],
    ['a document that may not be cut', { ...most, contentChars: 999_999, canChunk: false }, 'direct'],
  ])('%s', (_case, facts, contract) => {
    expect(chooseContract(facts).contract).toBe(contract);
  });

  test('a template that only describes the document itself needs no search for entities', async () => {
    const flat = templateFrom({ root: 'Letter', classes: { Letter: { fields: { date: { type: 'date' } } } } });
    const text = 'Dear reader, this is a long letter. '.repeat(500);
    const asking = createScriptedModel({ direct_extraction: [{ date: '2024-01-31' }] });
    const pipeline = await runPipeline({ source: text, template: flat, model: asking.model });
    expect(pipeline.contract).toEqual({
      used: 'direct',
      reason: 'the template only describes the document itself',
    });
    expect(asking.names()).toEqual(['direct_extraction', 'direct_extraction']);
    const chunks = createScriptedModel({ direct_extraction: () => ({ date: '2024-01-31' }) });
    await runPipeline({ source: text.repeat(10), template: flat, model: chunks.model });
    expect(chunks.asked.length).toBeGreaterThan(80);
  });

  test('a run records its contract and the reason', async () => {
    const { model } = createScriptedModel({ direct_extraction: [{ order_no: '1' }] });
    const direct = await runPipeline({ source, template, model });
    expect(direct.contract).toEqual({ used: 'direct', reason: 'one question is enough' });
    const context = await run(whole, { extraction_contract: 'auto', max_output_tokens: 10 }).made;
    expect(context.contract).toEqual({ used: 'dense', reason: 'one answer cannot hold all facts of the document' });
  });
});

describe('the catalogue', () => {
  test('has a place for every entity, looks through components, and leaves out references and recursive classes', () => {
    const catalog = buildCatalog(template);
    expect(catalog.map(({ path }) => path)).toEqual(['', 'buyer', 'terms.bank', 'parcels[]', 'parcels[].items[]']);
    expect(catalog.map(({ parent }) => parent)).toEqual([undefined, '', '', '', 'parcels[]']);
  });

  test('a path is filled without nested paths; other entities by their id fields only', () => {
    const catalog = buildCatalog(template);
    const form = (path: string) =>
      buildFillForm(
        template,
        catalog,
        catalog.find((entry) => entry.path === path)!,
      );
    const fields = (path: string, name: string) =>
      form(path)
        .template.classes.get(name)
        ?.fields.map((field) => field.name);
    expect(fields('', 'Order')).toEqual(['order_no', 'placed', 'terms']);
    expect(fields('', 'Terms')).toEqual(['days']);
    expect(fields('parcels[]', 'Parcel')).toEqual(['code', 'weight', 'carrier']);
    expect(fields('parcels[]', 'PartyReference')).toEqual(['name']);
    expect(form('parcels[].items[]').hasReferenceLists).toBe(true);
    expect(form('buyer').hasReferenceLists).toBe(false);
  });
});

test('entities in lists of components are filled whole, with the list', async () => {
  const minutes = templateFrom({
    root: 'Minutes',
    classes: {
      Minutes: { graph_id_fields: ['day'], fields: { day: { type: 'str' }, notes: { model: 'Note', is_list: true } } },
      Note: { is_entity: false, fields: { text: { type: 'str' }, by: { model: 'Person', edge_label: 'SAID_BY' } } },
      Person: {
        graph_id_fields: ['name'],
        fields: { name: { type: 'str' }, role: { type: 'str' }, boss: { model: 'Person' } },
      },
    },
  });
  expect(buildCatalog(minutes).map(({ path }) => path)).toEqual(['']);
  const notes = [
    { text: 'Yes.', by: { name: 'Ann', role: 'chair', boss: { name: 'Eve', role: 'owner' } } },
    { text: 'No.' },
  ];
  const asking = createScriptedModel({
    dense_skeleton: [{ nodes: [{ i: 1, path: '', ids: { day: 'Monday' } }] }],
    dense_fill: [{ items: [{ notes }] }],
  });
  const pipeline = await runPipeline({
    source: 'Minutes of Monday.',
    template: minutes,
    model: asking.model,
    options: small,
  });
  expect(pipeline.pydantic_model).toEqual({ day: 'Monday', notes });
  expect(pipeline.graph.nodes.size).toBe(3);
});
