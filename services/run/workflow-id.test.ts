import { toIdName, getReadableWorkflowId, getWorkflowId } from './workflow-id';

const run = { flow_name: 'Invoices of May / 2026', created_at: '2026-11-23T08:15:07.123Z', job_run_id: 'id-1' };

test('a workflow id contains flow and time and ends with the id of the run', () => {
  expect(getReadableWorkflowId(run)).toBe('Invoices-of-May-2026/2026-11-23T08.15.07/id-1');
  expect(getReadableWorkflowId({ ...run, sample: { documents: 5 } })).toBe(
    'Invoices-of-May-2026/sample/2026-11-23T08.15.07/id-1',
  );
});

test('names lose characters that paths and lists cannot contain, and are never empty', () => {
  expect(toIdName('../../x?y#z')).toBe('x-y-z');
  expect(toIdName('Verträge')).toBe('Verträge');
  expect(toIdName('///')).toBe('unnamed');
  expect(toIdName('x'.repeat(300))).toHaveLength(80);
});

test('runs of earlier versions keep the id of the run', () => {
  expect(getWorkflowId({ job_run_id: 'id-1' })).toBe('id-1');
  expect(getWorkflowId({ job_run_id: 'id-1', workflow_id: 'a/b/id-1' })).toBe('a/b/id-1');
});
