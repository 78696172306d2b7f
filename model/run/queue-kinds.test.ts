import { polledKinds, queueKinds } from './queue-kinds';

test('a worker polls all queues by default', () => {
  expect([...polledKinds([])]).toEqual([...queueKinds]);
  expect([...polledKinds(['cpu', 'convert'])]).toEqual(['cpu', 'convert']);
});

test('an unknown queue is rejected with the list of queues', () => {
  expect(() => polledKinds(['cpu', 'gpu'])).toThrow(
    'DOCLOOM_WORKER_QUEUES names gpu; the queues are flow, cpu, io, graph, convert, webhook.',
  );
});
