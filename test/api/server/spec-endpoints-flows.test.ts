import { sampleFlow } from '../../support/api/server';
import { createSpecClient, type EndpointRow, testEndpoints } from '../../support/api/spec-client';

const { createFlow, createProject, makeUnique, send } = createSpecClient();

const rows: EndpointRow[] = [
  [
    'POST /api/v1/projects',
    'create a project',
    async () =>
      expect(await send('POST /api/v1/projects', 201, { name: makeUnique('p'), tags: ['a'] })).toMatchObject({
        tags: ['a'],
        owner: 'alice',
      }),
  ],
  [
    'GET /api/v1/projects',
    'list projects, paginated, filterable by name and tags',
    async () => {
      const name = makeUnique('Findable');
      for (const number of [1, 2])
        await send('POST /api/v1/projects', 201, { name: `${name}.${number}`, tags: [name] });
      const page = await send(`GET /api/v1/projects?name=${name.toLowerCase()}&tags=${name}&limit=1`, 200);
      expect(page).toMatchObject({ total_count: 2, limit: 1, offset: 0, prev: null });
      expect(page['projects']).toHaveLength(1);
      const { pathname, search } = new URL(String(page['next']));
      expect((await send(`GET ${pathname}${search}`, 200))['next']).toBeNull();
    },
  ],
  [
    'GET /api/v1/projects/{project_id}',
    'get a project',
    async () => {
      const id = await createProject();
      expect(await send(`GET /api/v1/projects/${id}`, 200)).toMatchObject({ project_id: id, flow_count: 0 });
    },
  ],
  [
    'PUT /api/v1/projects/{project_id}',
    'fully replace a project',
    async () => {
      const id = await createProject();
      await send(`PATCH /api/v1/projects/${id}`, 200, { description: 'gone with the next' });
      expect(await send(`PUT /api/v1/projects/${id}`, 200, { name: makeUnique('p') })).toMatchObject({
        description: null,
      });
    },
  ],
  [
    'PATCH /api/v1/projects/{project_id}',
    'partially update a project',
    async () => {
      const id = await createProject();
      const { name } = await send(`GET /api/v1/projects/${id}`, 200);
      expect(await send(`PATCH /api/v1/projects/${id}`, 200, { description: 'x' })).toMatchObject({
        name,
        description: 'x',
      });
    },
  ],
  [
    'DELETE /api/v1/projects/{project_id}',
    'delete a project and cascade-delete its flows',
    async () => {
      const id = await createProject();
      const inside = await createFlow({ project_id: id });
      await send(`DELETE /api/v1/projects/${id}`, 204);
      await send(`GET /api/v1/projects/${id}`, 404);
      await send(`GET /api/v1/flows/${inside}`, 404);
    },
  ],
  [
    'GET /api/v1/projects/{project_id}/flows',
    "list the project's flows, each enriched with aggregated job run status",
    async () => {
      const id = await createProject();
      const inside = await createFlow({ project_id: id });
      expect(await send(`GET /api/v1/projects/${id}/flows`, 200)).toMatchObject({
        flows: [{ flow_id: inside, job_run_summary: null }],
        total_count: 1,
      });
    },
  ],
  [
    'POST /api/v1/flows',
    'create a flow',
    async () =>
      expect(await send('POST /api/v1/flows', 201, sampleFlow(makeUnique('f')))).toHaveProperty(
        'flow_id',
        expect.any(String),
      ),
  ],
  [
    'GET /api/v1/flows',
    'list flows, paginated',
    async () => {
      await createFlow();
      await createFlow();
      const page = await send('GET /api/v1/flows?limit=1&offset=1', 200);
      expect(page).toMatchObject({ limit: 1, offset: 1, prev: expect.stringContaining('offset=0') });
      expect(page['flows']).toHaveLength(1);
    },
  ],
  [
    'GET /api/v1/flows/{flow_id}',
    'get a flow',
    async () => {
      const id = await createFlow();
      expect(await send(`GET /api/v1/flows/${id}`, 200)).toMatchObject({ flow_id: id });
    },
  ],
  [
    'PUT /api/v1/flows/{flow_id}',
    'replace a flow',
    async () => {
      const id = await createFlow({ description: 'gone with the next' });
      expect(await send(`PUT /api/v1/flows/${id}`, 200, sampleFlow(makeUnique('f')))).toMatchObject({
        description: null,
      });
    },
  ],
  [
    'PATCH /api/v1/flows/{flow_id}',
    'partially update a flow',
    async () => {
      const id = await createFlow({ description: 'stays' });
      expect(await send(`PATCH /api/v1/flows/${id}`, 200, { tags: ['x'] })).toMatchObject({
        description: 'stays',
        tags: ['x'],
      });
    },
  ],
  [
    'DELETE /api/v1/flows/{flow_id}',
    'delete a flow',
    async () => {
      const id = await createFlow();
      await send(`DELETE /api/v1/flows/${id}`, 204);
      await send(`GET /api/v1/flows/${id}`, 404);
    },
  ],
  [
    'DELETE /api/v1/flows',
    'bulk delete flows',
    async () => {
      const ids = [await createFlow(), 'unknown', await createFlow()];
      expect(await send(`DELETE /api/v1/flows?flow_ids=${ids.join(',')}`, 200)).toMatchObject({
        deleted: [ids[0], ids[2]],
        failed: [{ flow_id: 'unknown' }],
        total_requested: 3,
      });
    },
  ],
];

testEndpoints(rows, 7 + 7);
