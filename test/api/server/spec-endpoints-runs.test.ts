import { alice, sampleFlow, startApi } from '../../support/api/server';
import { createSpecClient, type EndpointRow, testEndpoints } from '../../support/api/spec-client';

const { createEndedRun, createFlow, createRun, send, services, state } = createSpecClient();

const rows: EndpointRow[] = [
  [
    'POST /api/v1/job_runs',
    'create and start a job run',
    async () => {
      const id = await createRun();
      expect(await services.runs.readStatus(id)).toBe('RUNNING');
    },
  ],
  [
    'GET /api/v1/job_runs',
    'list job runs',
    async () => {
      const id = await createRun();
      const { list, total } = (await send('GET /api/v1/job_runs', 200)) as Record<string, unknown>;
      expect((list as { job_run_id: string }[]).map(({ job_run_id }) => job_run_id)).toContain(id);
      expect(total).toBe(state.runs.length);
    },
  ],
  [
    'GET /api/v1/job_runs/{job_run_id}',
    'get job run status',
    async () =>
      expect(await send(`GET /api/v1/job_runs/${await createEndedRun()}`, 200)).toMatchObject({ status: 'COMPLETED' }),
  ],
  [
    'POST /api/v1/job_runs/{job_run_id}/cancel',
    'cancel a running job',
    async () =>
      expect(await send(`POST /api/v1/job_runs/${await createRun()}/cancel`, 202)).toMatchObject({
        status: 'CANCELING',
      }),
  ],
  [
    'DELETE /api/v1/job_runs/{job_run_id}',
    'delete a job run',
    async () => {
      const id = await createEndedRun();
      await send(`DELETE /api/v1/job_runs/${id}`, 204);
      await send(`GET /api/v1/job_runs/${id}`, 404);
    },
  ],
  [
    'GET /api/v1/job_runs/{job_run_id}/flow_definition',
    'get the flow definition snapshot of the job run, which later changes of the flow do not affect',
    async () => {
      const id = await createFlow();
      const { job_run_id } = await send('POST /api/v1/job_runs', 201, { flow_id: id });
      const before = await send(`GET /api/v1/job_runs/${String(job_run_id)}/flow_definition`, 200);
      await send(`PATCH /api/v1/flows/${id}`, 200, { description: 'later' });
      expect(await send(`GET /api/v1/job_runs/${String(job_run_id)}/flow_definition`, 200)).toEqual(before);
    },
  ],
  [
    'GET /api/v1/operators/metadata',
    'list all operators with metadata',
    async () =>
      expect(Object.keys(await send('GET /api/v1/operators/metadata', 200))).toEqual(['ingest_source', 'vectordb']),
  ],
  [
    'GET /api/v1/providers/{provider}/models',
    'list models of a provider; two providers are supported',
    async () => {
      for (const provider of ['localmodel', 'hostedmodel'])
        expect(await send(`GET /api/v1/providers/${provider}/models`, 200)).toMatchObject({
          provider,
          models: [{ model_id: 'm' }],
        });
      await send('GET /api/v1/providers/other/models', 400);
    },
  ],
  [
    'GET /api/v1/document_classes',
    'list all document class definitions bundled with the server',
    async () => {
      const { listDocumentClasses } = await import('../../../services/operator/document-classes');
      expect(listDocumentClasses().length).toBeGreaterThanOrEqual(36);
      const bundled = await startApi({ documentClasses: listDocumentClasses });
      const { body } = await bundled.call('GET', '/api/v1/document_classes', { user: alice });
      expect(body).toHaveLength(listDocumentClasses().length);
      await bundled.close();
    },
  ],
  [
    'POST /api/v1/validation/validate_flow',
    'validate a flow definition before submitting it',
    async () =>
      expect(await send('POST /api/v1/validation/validate_flow', 200, sampleFlow('f'))).toMatchObject({
        status: 'SUCCEEDED',
        errors: [],
      }),
  ],
];

testEndpoints(rows, 6 + 4);
