import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  RetryState,
  TerminatedFailure,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { endsRun, toFailure } from './failures';

const activity = (cause: Error) =>
  new ActivityFailure('Activity task failed', 'ocr', '1', RetryState.MAXIMUM_ATTEMPTS_REACHED, 'worker', cause);
const child = (cause: Error) =>
  new ChildWorkflowFailure(
    'default',
    { workflowId: 'run/0/p00000', runId: '1' },
    'runBatch',
    RetryState.RETRY_POLICY_NOT_SET,
    cause,
  );
const coded = ApplicationFailure.create({ type: 'SQL_FILTER_ERROR', message: 'no such column' });

test.each([
  ['a code of ours stands, however deep it lies', child(activity(coded)), 'SQL_FILTER_ERROR', /no such column/],
  ['an error without a code in an activity', activity(new Error('odd')), 'PREFECT_FLOW_TASK_FAILED', /odd/],
  [
    'an activity whose worker stopped answering',
    child(activity(new TimeoutFailure('heartbeat', undefined, TimeoutType.HEARTBEAT))),
    'PREFECT_FLOW_TASK_FAILED',
    /stopped answering/,
  ],
  [
    'an operator that the worker does not have',
    activity(
      ApplicationFailure.create({
        type: 'NotFoundError',
        message: 'Activity function mine is not registered on this Worker, available activities: ["ocr"]',
      }),
    ),
    'PREFECT_FLOW_TASK_FAILED',
    /DOCLOOM_CUSTOM_OPERATORS/,
  ],
  [
    'a batch that was terminated',
    child(new TerminatedFailure('by an operator')),
    'FLOW_EXECUTION_FAILED',
    /by an operator/,
  ],
  ['an error of the workflow itself', new Error('odd'), 'FLOW_EXECUTION_FAILED', /odd/],
])('%s', (_name, error, code, message) => {
  expect(toFailure(error)).toEqual({ code, message: expect.stringMatching(message) });
});

test('problems of a document do not end the run, problems of the configuration do', () => {
  expect(endsRun(activity(coded))).toBe(true);
  expect(endsRun(activity(ApplicationFailure.create({ type: 'DOCUMENT_CORRUPT' })))).toBe(false);
  expect(endsRun(new Error('odd'))).toBe(false);
});
