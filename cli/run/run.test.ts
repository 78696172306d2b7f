import { checkParameters } from './run';

const flow = { flow_name: 'f', flow: [{ type: 'ingest_source', name: 'ingest' }] };

test.each(['force_ingest', 'micro_batch_size', 'ingest', 'ingest_source'])('--set %s=… is accepted', (key) => {
  expect(() => checkParameters(flow, { [key]: 1 })).not.toThrow();
});

test('--set with an unknown key is a usage error that lists the known keys', () => {
  expect(() => checkParameters(flow, { foo: 1, fail_fast: true })).toThrow(
    /--set foo would change nothing: expected force_ingest, .*, ingest, ingest_source\./,
  );
});
