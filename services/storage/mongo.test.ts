import { describeConnectionError } from './mongo';

test.each([
  ['MongoTopologyClosedError', 'Topology is closed', 'the connection is closed'],
  [
    'MongoNetworkTimeoutError',
    'connection <monitor> to 6261fed45bad43b98b754de8284b5b1b timed out',
    'it did not answer in time',
  ],
  ['MongoServerSelectionError', 'Server selection timed out after 4000 ms', 'it did not answer in time'],
  ['MongoServerSelectionError', 'connect ECONNREFUSED 127.0.0.1:27017', 'connect ECONNREFUSED 127.0.0.1:27017'],
  ['MongoNetworkError', 'connection 4 to 127.0.0.1:27017 closed', 'the connection was closed'],
])('%s: %s', (name, message, expected) => {
  expect(describeConnectionError(Object.assign(new Error(message), { name }))).toBe(expected);
});
