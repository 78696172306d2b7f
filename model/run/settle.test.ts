import { finalStates, runStates } from './run';
import { getSettledMessage, settleState, startGraceMs } from './settle';

describe('settledState', () => {
  test.each([...finalStates])('a final %s stays, whatever the engine reports', (state) => {
    for (const engine of ['RUNNING', 'COMPLETED', 'TERMINATED', undefined] as const) {
      expect(settleState(state, engine)).toBe(state);
    }
  });

  test('an open run of a running workflow keeps its state', () => {
    for (const state of runStates.filter((candidate) => !finalStates.includes(candidate))) {
      expect(settleState(state, 'RUNNING')).toBe(state);
    }
  });

  test.each([
    ['TERMINATED', 'CRASHED'],
    ['TIMED_OUT', 'CRASHED'],
    ['COMPLETED', 'CRASHED'],
    ['FAILED', 'FAILED'],
    ['CANCELED', 'CANCELED'],
    [undefined, 'CRASHED'],
  ] as const)('an open run whose workflow is %s becomes %s', (engine, expected) => {
    expect(settleState('RUNNING', engine)).toBe(expected);
  });

  test('a queued run has a grace period before its workflow must exist', () => {
    expect(settleState('QUEUED', undefined, startGraceMs - 1)).toBe('QUEUED');
    expect(settleState('QUEUED', undefined, startGraceMs)).toBe('CRASHED');
  });

  test('the message describes what happened to the workflow', () => {
    expect(getSettledMessage('CRASHED', 'TERMINATED')).toMatch(/^FLOW_EXECUTION_FAILED: .*terminated/);
    expect(getSettledMessage('CRASHED', 'TIMED_OUT')).toMatch(/time limit/);
    expect(getSettledMessage('CRASHED', 'COMPLETED')).toMatch(/before its batches/);
    expect(getSettledMessage('CRASHED', undefined)).toMatch(/does not exist in Temporal/);
    expect(getSettledMessage('CANCELED', 'CANCELED')).toMatch(/cancelled/);
  });
});
