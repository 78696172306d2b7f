import { readConfig } from './config';
import { buildNetworkRules } from './network-rules';

const own = (env: Record<string, string>) =>
  buildNetworkRules(readConfig(env)).own.map(
    ({ host, port, onlyPrivate }) => `${host}:${port}${onlyPrivate ? ' private' : ''}`,
  );

test('the servers of the defaults are own servers', () => {
  expect(own({})).toEqual(['127.0.0.1:27017', '127.0.0.1:7233', '127.0.0.1:8233', '127.0.0.1:9200']);
});

test('every server in the settings is listed, with the default port if none is given', () => {
  expect(
    own({
      MONGODB_URL: 'mongodb://user:p%40ss@one,two:27018,[fd00::5]:27019/docloom?replicaSet=r',
      TEMPORAL_ADDRESS: 'temporal:7234',
      TEMPORAL_UI_ADDRESS: 'https://ui.example',
      SEARCH_HOST: 'search',
      SEARCH_PORT: '9201',
      LDAP_SERVER: 'ldaps://directory',
      DOCLOOM_STORAGE: 's3',
      DOCLOOM_S3_ENDPOINT: 'http://store:9000',
      PIPE_STORAGE_BACKEND: 'postgres',
      PIPE_POSTGRES_HOST: 'statistics',
    }),
  ).toEqual([
    'one:27017',
    'two:27018',
    '[fd00::5]:27019',
    'temporal:7234',
    'ui.example:443',
    'search:9201',
    'directory:636',
    'store:9000 private',
    'statistics:5432',
  ]);
});

test('a database on a socket has no port, and a service record is listed by its name', () => {
  expect(own({ MONGODB_URL: 'mongodb://%2Frun%2Fdocloom%2Fmongo.sock/docloom' })[0]).toBe('127.0.0.1:7233');
  expect(own({ MONGODB_URL: 'mongodb+srv://cluster.example/docloom' })[0]).toBe('cluster.example:27017');
});
