import { finalStates, runStates } from './run';
import { settledMessage, settledState, startGraceMs } from './settle';

describe('settledState', () => {
  test.each([...finalStates])('a final %s stays, whatever the engine reports', (state) => {
    for (const engine of ['RUNNING', 'COMPLETED', 'TERMINATED', undefined] as const) {
      expect(settledState(state, engine)).toBe(state);
    }
  });

  test('an open run of a running workflow keeps its state', () => {
    for (const state of runStates.filter((candidate) => !finalStates.includes(candidate))) {
      expect(settledState(state, 'RUNNING')).toBe(state);
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
    expect(settledState('RUNNING', engine)).toBe(expected);
  });

  test('a queued run has a grace period before its workflow must exist', () => {
    expect(settledState('QUEUED', undefined, startGraceMs - 1)).toBe('QUEUED');
    expect(settledState('QUEUED', undefined, startGraceMs)).toBe('CRASHED');
  });

  test('the message describes what happened to the workflow', () => {
    expect(settledMessage('CRASHED', 'TERMINATED')).toMatch(/^FLOW_EXECUTION_FAILED: .*terminated/);
    expect(settledMessage('CRASHED', 'TIMED_OUT')).toMatch(/time limit/);
    expect(settledMessage('CRASHED', 'COMPLETED')).toMatch(/before its batches/);
    expect(settledMessage('CRASHED', undefined)).toMatch(/knows no workflow/);
    expect(settledMessage('CANCELED', 'CANCELED')).toMatch(/cancelled/);
  });
});
