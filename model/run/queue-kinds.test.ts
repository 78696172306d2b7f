import { listPolledKinds, queueKinds } from './queue-kinds';

test('a worker polls all queues by default', () => {
  expect([...listPolledKinds([])]).toEqual([...queueKinds]);
  expect([...listPolledKinds(['cpu', 'convert'])]).toEqual(['cpu', 'convert']);
});

test('an unknown queue is rejected with the list of queues', () => {
  expect(() => listPolledKinds(['cpu', 'gpu'])).toThrow(
    'DOCLOOM_WORKER_QUEUES names gpu; the queues are flow, cpu, io, graph, convert, webhook.',
  );
});
