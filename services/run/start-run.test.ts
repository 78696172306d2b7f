import { Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';
import { buildRun, type StartRunRequest } from './start-run';

const source: OperatorDefinition = {
  name: 'ingest_source',
  label: 'Ingest',
  category: 'Ingest',
  scope: 'source',
  queue: 'io',
  needs: [],
  reads: [],
  writes: ['id', 'name', 'path'],
  config: Type.Object({}),
  summary: 'Lists.',
};
const build = (overrides: Record<string, unknown>) => {
  const request = {
    flow: { flow_id: 'flow', flow_name: 'flow', flow: [{ type: 'ingest_source', name: 'in' }] },
    owner: 'alice',
    acting: {},
    jobId: 'job',
    overrides,
  } as unknown as StartRunRequest;
  return buildRun({ operators: [source], runs: { nameWorkflow: () => undefined } }, request).run;
};

test('a confirmation counts for the run and is not a part of its flow', () => {
  const run = build({ confirm_empty_source: true });
  expect(run.empty_source_confirmed).toBe(true);
  expect(run.snapshot.flow.global_config).not.toHaveProperty('confirm_empty_source');
  expect(build({ confirm_empty_source: false })).not.toHaveProperty('empty_source_confirmed');
});

test.each(['yes', 'true', 1, null])('the confirmation %j is refused, not ignored', (value) => {
  expect(() => build({ confirm_empty_source: value })).toThrow(
    expect.objectContaining({ code: 'FLOW_VALIDATION_FAILED' }),
  );
});
