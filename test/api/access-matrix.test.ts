import { routes } from '../../api/routes';
import { matrix, roles } from '../attack/matrix';
import { people, prepare } from '../support/api/prepared';

test('every route has a row, and every row a route', () => {
  expect(Object.keys(matrix).toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
});

describe.each(Object.entries(matrix))('%s', (operation, row) => {
  test.each(roles)('as %s', async (role) => {
    const prepared = await prepare();
    try {
      const [method = '', template = ''] = operation.split(' ');
      const path = `${template}${row.query ?? ''}`.replaceAll(/\{(\w+)\}/g, (_all, name) => prepared.ids[name] ?? name);
      const user = people[role];
      const body = row.body?.(prepared.stage);
      const reply = await prepared.api.call(method, path, { user, body });
      const asks = row.says && role in row.says.by && reply.status < 300 ? row.says : undefined;
      const told = asks?.of(reply.body);
      expect({ role, status: reply.status, told }).toEqual({ role, status: row.expected[role], told: asks?.by[role] });
    } finally {
      await prepared.api.close();
    }
  });
});

test('a user in no administrator group is not an administrator', async () => {
  const { api, ids } = await prepare();
  const pretender = { ...people.other, groups: ['admin', 'Admins', ''] };
  for (const path of [`/projects/${ids['project_id']}`, `/flows/${ids['flow_id']}`, `/job_runs/${ids['job_run_id']}`])
    expect((await api.call('GET', `/api/v1${path}`, { user: pretender })).status).toBe(404);
  await api.close();
});
