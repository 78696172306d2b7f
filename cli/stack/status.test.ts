import { buildMark } from '../../embedded/process-mark';
import type { StackInfo } from '../../embedded/stack-file';
import { listParts } from './status';

const alive = buildMark(process.pid);
const ended = { pid: 2 ** 22 + 1, started: '' };
const ready = { isReady: true, missing: {} };
const stack = (worker = alive): StackInfo => ({
  dataDir: '/data',
  owner: alive,
  startedAt: '',
  apiAddress: 'http://127.0.0.1:8080',
  docsAddress: '',
  temporalUiAddress: '',
  servers: [
    { name: 'mongo', address: 'mongodb://127.0.0.1', pid: process.pid },
    { name: 'search', address: 'http://search' },
  ] as StackInfo['servers'],
  processes: [
    { name: 'api', mark: alive, logFile: '' },
    { name: 'worker', mark: worker, logFile: '' },
  ],
  env: {},
});
const listStates = (info: StackInfo, answers: Parameters<typeof listParts>[1]) =>
  Object.fromEntries(listParts(info, answers).map(({ name, state }) => [name, state]));

test('a part that answers is running; a server of the environment is given', () => {
  expect(listStates(stack(), { api: ready, worker: ready })).toEqual({
    api: 'running',
    worker: 'running',
    mongo: 'running',
    search: 'given',
  });
});

test('a process or server that runs but is silent is not answering', () => {
  const api = { isReady: false, missing: { mongo: 'no answer' } };
  const worker = { isReady: false, missing: { itself: 'no answer' } };
  expect(listStates(stack(), { api, worker })).toMatchObject({
    api: 'running',
    worker: 'not answering',
    mongo: 'not answering',
  });
});

test('a process that has ended is restarting', () => {
  const worker = { isReady: false, missing: { itself: 'refused' } };
  expect(listStates(stack(ended), { api: ready, worker })).toMatchObject({ api: 'running', worker: 'restarting' });
});
