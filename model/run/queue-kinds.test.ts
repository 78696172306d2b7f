import { polledKinds, queueKinds } from './queue-kinds';

test('a worker polls all queues unless some are named', () => {
  expect([...polledKinds([])]).toEqual([...queueKinds]);
  expect([...polledKinds(['cpu', 'convert'])]).toEqual(['cpu', 'convert']);
});

test('a name that is no queue is refused with the names that are', () => {
  expect(() => polledKinds(['cpu', 'gpu'])).toThrow(
    'DOCLOOM_WORKER_QUEUES names gpu; the queues are flow, cpu, io, graph, convert, webhook.',
  );
});
