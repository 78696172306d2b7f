import { listDestinations, listSources } from './sources';

const flow = (config: Record<string, unknown>) =>
  ({
    flow_id: 'f',
    flow_name: 'Share',
    flow: [
      { type: 'ingest_source', name: 'in', config },
      { type: 'extract_operator', name: 'extract', depends_on: ['in'] },
    ],
  }) as never;

test('a source is shown by its places and connections, without passwords', () => {
  const config = {
    provider: 'webdav',
    connection_params: { folder_url: 'https://ann:secret@files.example/docs', access_sync_minutes: 5 },
    credentials: { password: '${connection:files}', user: '${connection:files}' },
  };
  expect(listSources([flow(config)])).toEqual([
    {
      flowId: 'f',
      flowName: 'Share',
      step: 'in',
      provider: 'webdav',
      places: ['https://files.example/docs'],
      connections: ['files'],
      accessMinutes: 5,
      config,
    },
  ]);
});

test('a source without settings, and a flow of another format, do no harm', () => {
  expect(listSources([flow({}), { flow_id: 'e', name: 'Elyra' } as never])).toMatchObject([
    { provider: 'filesystem', places: [], connections: [] },
  ]);
});

test('a destination is shown by its folder or bucket and its connections', () => {
  const exporting = (config: object) =>
    ({ flow_id: 'f', flow_name: 'Export', flow: [{ type: 'storage', name: 'out', config }] }) as never;
  const keys = { access_key: '${connection:exports.access_key}', secret_key: '${connection:exports.secret_key}' };
  const shown = listDestinations([
    exporting({ destination: 'folder', path: '/srv/export' }),
    exporting({ destination: 's3', connection_params: { bucket: 'handbook', prefix: 'a/', ...keys } }),
    flow({}),
  ]);
  expect(shown.map(({ destination, places, connections }) => [destination, places, connections])).toEqual([
    ['folder', ['/srv/export'], []],
    ['s3', ['handbook', 'a/'], ['exports']],
  ]);
});
