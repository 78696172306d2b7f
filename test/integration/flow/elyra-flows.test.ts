import { randomUUID } from 'node:crypto';
import { type ResourcesApi, startResourcesApi } from '../../support/api/resources-fixture';
import { alice, bob } from '../../support/api/server';
import { getCode, type ElyraBody, type FlowBody, flowCalls, mask, unique } from '../../support/system/flow-calls';

let resources: ResourcesApi;
beforeAll(async () => {
  resources = await startResourcesApi();
});
afterAll(() => resources.close());

const { make, call, stored } = flowCalls(() => resources);

describe('flows of the graphical editor', () => {
  const definition = (label = 'files', second?: string) => ({
    doc_type: 'pipeline',
    primary_pipeline: 'p',
    pipelines: [
      {
        id: 'p',
        nodes: [
          {
            id: 'n1',
            type: 'execution_node',
            op: 'ingest_source',
            parameters: { provider: 'x', api_key: 'plain' },
            app_data: { ui_data: { label } },
          },
          {
            id: 'n2',
            type: 'execution_node',
            op: 'vectordb',
            parameters: { index_name: 'i' },
            inputs: [{ id: 'in', links: [{ node_id_ref: 'n1' }] }],
            app_data: { ui_data: { label: second } },
          },
        ],
        app_data: { properties: { fail_fast: true } },
      },
    ],
  });
  const draw = (more: Record<string, unknown> = {}) =>
    resources.send<ElyraBody>('POST /flows?is_elyra=true', 201, {
      user: alice,
      body: { name: unique('drawn'), definition: definition(), ...more },
    });

  test('are stored as drawn, shown in both formats, and run', async () => {
    const container_id = randomUUID();
    const job_id = randomUUID();
    const flow = await draw({
      description: 'd',
      tags: ['a', 'a'],
      container_kind: 'space',
      container_id,
      is_hidden: true,
      job_id,
    });
    expect(flow).toMatchObject({
      description: 'd',
      tags: ['a'],
      container_kind: 'space',
      container_id,
      job_id,
      is_hidden: true,
      flow_version: '2.0',
      href: `/api/v1/flows/${flow.flow_id}`,
    });
    expect(flow.definition.pipelines[0]?.nodes[0]).toMatchObject({
      id: 'n1',
      parameters: { provider: 'x', api_key: mask },
    });
    const path = `/flows/${flow.flow_id}`;
    expect(await resources.send(`GET ${path}`, 200, { user: alice })).toEqual(flow);
    expect(await resources.send(`GET ${path}?is_elyra=false`, 200, { user: alice })).toMatchObject({
      flow_name: flow.name,
      global_config: { fail_fast: true },
      flow: [
        { type: 'ingest_source', name: 'files', depends_on: [] },
        { type: 'vectordb', name: 'vectordb', depends_on: ['files'] },
      ],
    });
    const { job_run_id } = await resources.send<{ job_run_id: string }>('POST /job_runs', 201, {
      user: alice,
      body: { flow_id: flow.flow_id },
    });
    expect(await resources.send(`GET /job_runs/${job_run_id}`, 200, { user: alice })).toMatchObject({
      node_sequence: ['files', 'vectordb'],
    });
  });

  test('with only a name begin as an empty pipeline', async () => {
    const flow = await draw({ definition: undefined });
    expect(flow).toMatchObject({
      description: null,
      tags: [],
      is_hidden: false,
      container_kind: null,
      container_id: null,
    });
    expect(flow.definition.pipelines[0]?.nodes).toEqual([]);
    expect(await resources.send(`GET /flows/${flow.flow_id}?is_elyra=false`, 200, { user: alice })).toMatchObject({
      flow: [],
    });
  });

  test('belong to the project of their container when the user sees it, and to none otherwise', async () => {
    const { project_id } = await resources.send<{ project_id: string }>('POST /projects', 201, {
      user: bob,
      body: { name: unique('p') },
    });
    const flow = await draw({ container_kind: 'project', container_id: project_id });
    expect(flow).toMatchObject({ container_id: project_id });
    expect((await stored(flow.flow_id))?.project_id).toBeNull();
    const own = await resources.send<{ project_id: string }>('POST /projects', 201, {
      user: alice,
      body: { name: unique('p') },
    });
    const inside = await draw({ container_kind: 'project', container_id: own.project_id });
    expect((await stored(inside.flow_id))?.project_id).toBe(own.project_id);
  });

  test('a patch in either format keeps the other members', async () => {
    const flow = await draw({ is_hidden: true });
    const path = `/flows/${flow.flow_id}`;
    const name = unique('renamed');
    const renamed = await resources.send<ElyraBody>(`PATCH ${path}?is_elyra=true`, 200, {
      user: alice,
      body: { name, tags: ['t'] },
    });
    expect(renamed).toMatchObject({ name, tags: ['t'], is_hidden: true, definition: flow.definition });
    const described = await resources.send<ElyraBody>(`PATCH ${path}`, 200, {
      user: alice,
      body: { description: 'd' },
    });
    expect(described).toMatchObject({ name, description: 'd', definition: flow.definition });
    const redefined = await resources.send<FlowBody>(`PATCH ${path}`, 200, {
      user: alice,
      body: { global_config: { fail_fast: null } },
    });
    expect(redefined).toMatchObject({ flow_name: name, global_config: {}, flow: [{ config: { api_key: mask } }, {}] });
    expect((await stored(flow.flow_id))?.flow[0]?.config).toMatchObject({ api_key: 'plain' });
    expect(getCode(await resources.send(`PATCH ${path}?is_elyra=true`, 400, { user: alice, body: {} }))).toBe(
      'FLOW_INVALID_DATA',
    );
  });

  test('lists state the format of each flow on request', async () => {
    const tag = unique('tag');
    const drawn = await draw({ tags: [tag], is_hidden: true });
    const written = await make({ tags: [tag] });
    const ids = async (query: string) =>
      (
        await resources.send<{ flows: { flow_id: string }[] }>(`GET /flows?tags=${tag}${query}`, 200, { user: alice })
      ).flows.map(({ flow_id }) => flow_id);
    expect(await ids('&is_elyra=true')).toEqual([drawn.flow_id]);
    expect(await ids('&is_elyra=false')).toEqual([written.flow_id]);
    expect(await ids('&is_hidden=true')).toEqual([drawn.flow_id]);
    expect(await ids('&is_hidden=false')).toEqual([written.flow_id]);
    expect((await ids('')).sort()).toEqual([drawn.flow_id, written.flow_id].sort());
  });

  test.each([
    ['an empty name', { name: '' }, 'name'],
    ['an unknown kind of container', { name: 'x', container_kind: 'box' }, 'container_kind'],
    ['a container that is not a UUID', { name: 'x', container_id: 'x' }, 'container_id'],
    ['a job that is not a UUID', { name: 'x', job_id: 'x' }, 'job_id'],
    ['a definition without a format', { name: 'x', definition: {} }, '/definition'],
    ['no pipelines', { name: 'x', definition: { doc_type: 'pipeline', pipelines: [] } }, '/definition/pipelines'],
    ['two nodes with the same name', { name: 'x', definition: definition('files', 'files') }, 'OPERATOR_NAME_REPEATED'],
  ])('%s is 400', async (_name, body, place) => {
    const response = await call('POST', '/flows?is_elyra=true', { user: alice, body });
    expect([response.status, getCode(response.body)]).toEqual([400, 'FLOW_INVALID_DATA']);
    expect(JSON.stringify(response.body)).toContain(place);
  });

  test('are validated as drawn: node ids and positions are those of the drawing', async () => {
    const validate = (body: unknown) =>
      resources.send<{ status: string; errors: object[] }>('POST /validation/validate_flow?is_elyra=true', 200, {
        user: alice,
        body,
      });
    expect(await validate({ name: 'x', definition: definition() })).toMatchObject({ errors: [] });
    const wrong = definition();
    Object.assign(wrong.pipelines[0]?.nodes[1] ?? {}, { parameters: { index_name: 1 } });
    expect(await validate({ name: 'x', definition: wrong })).toMatchObject({
      status: 'FAILED',
      errors: [
        {
          message_code: 'OPERATOR_VALIDATION_FAILED',
          node_id: 'n2',
          node_name: 'vectordb',
          pointer: '/definition/pipelines/0/nodes/1/parameters/index_name',
        },
      ],
    });
    expect(await validate({ name: 'x', definition: { doc_type: 'pipeline', pipelines: [] } })).toMatchObject({
      status: 'FAILED',
      errors: [{ code: 'FLOW_VALIDATION_FAILED', message_code: null, pointer: '/definition/pipelines' }],
    });
    expect(await validate({ name: 'x' })).toMatchObject({ errors: [{ message_code: 'DAG_PIPELINE_MISSING' }] });
  });
});
