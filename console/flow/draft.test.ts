import {
  buildReplacement,
  emptyFlow,
  listOutputs,
  readFlow,
  putBranch,
  changeOperator,
  addOperator,
  omitBranch,
  omitOperator,
} from './draft';

test('operators are added after the selected one, with unique names', () => {
  const [one] = addOperator(emptyFlow, 'extract_operator', undefined);
  const [two, name] = addOperator(one, 'extract_operator', 'ingest');
  expect(two.flow.map((operator) => [operator.name, operator.depends_on])).toEqual([
    ['ingest', undefined],
    ['extract', ['ingest']],
    ['extract-2', ['ingest']],
  ]);
  expect(name).toBe('extract-2');
});

test('operators after a removed operator are attached to its inputs', () => {
  const [one] = addOperator(emptyFlow, 'extract_operator', undefined);
  const [two] = addOperator(one, 'chunker', undefined);
  expect(omitOperator(two, 'extract').flow.at(-1)).toMatchObject({ name: 'chunker', depends_on: ['ingest'] });
});

test('a new name is applied to operators that reference it, including branches', () => {
  const flow = {
    ...emptyFlow,
    flow: [...emptyFlow.flow, { type: 'noop', name: 'a', depends_on: ['ingest.yes', 'ingest', 'ingestion'] }],
  };
  const { flow: changed } = changeOperator(flow, 'ingest', { name: 'read' });
  expect(changed[1]?.depends_on).toEqual(['read.yes', 'read', 'ingestion']);
});

test('operators are attached to the branches of the one before, which they follow under a new name', () => {
  const [split, name] = addOperator(emptyFlow, 'branching', undefined);
  let flow = putBranch(split, name, 'en', { name: 'en', branch: { criteria_list: ["lang_name = 'en'"] } });
  flow = putBranch(flow, name, 'rest', { name: 'rest', branch: {} });
  expect(flow.flow.flatMap(listOutputs)).toEqual(['ingest', 'branching.en', 'branching.rest']);
  for (let count = 0; count < 3; count += 1) [flow] = addOperator(flow, 'noop', name);
  const getInputs = () => flow.flow.filter(({ type }) => type === 'noop').map(({ depends_on: inputs }) => inputs);
  expect(getInputs()).toEqual([['branching.en'], ['branching.rest'], ['branching.en']]);
  flow = putBranch(flow, name, 'en', { name: 'english', branch: {} });
  expect(flow.flow[1]?.config).toEqual({ branches: { english: {}, rest: {} } });
  flow = omitBranch(flow, name, 'rest');
  expect(getInputs()).toEqual([['branching.english'], [], ['branching.english']]);
  flow = omitOperator(flow, name);
  expect(getInputs()).toEqual([['ingest'], [], ['ingest']]);
});

test('what was deleted from a flow is gone from its replacement; what the editor does not show stays', () => {
  const stored = {
    flow_id: 'f-1',
    project_id: 'p-1',
    ...emptyFlow,
    flow_name: 'old',
    description: 'd',
    tags: ['t'],
    global_config: { micro_batch_size: 5 },
  };
  const edited = { ...emptyFlow, flow_name: 'new', tags: ['u'] };
  expect(buildReplacement(stored, edited)).toEqual({ flow_id: 'f-1', ...edited });
});

test.each(['', '{', '[]', '{"flow":1}', '{"flow":[{"name":1,"type":"x"}]}', 'null'])('%j is not a flow', (text) => {
  expect(readFlow(text)).toHaveProperty('problem');
});
