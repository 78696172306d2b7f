import type { User } from '../../../model/access';
import { createFlowRuns } from '../../../services/flow/flow-runs';
import { createFlowsStore } from '../../../services/flow/flows-store';
import type { FlowsStore, ProjectsStore } from '../../../services/flow/ports';
import { createProjectsStore } from '../../../services/flow/projects-store';
import { createRunsStore } from '../../../services/run/runs-store';
import type { Mongo } from '../../../services/storage/mongo';
import { openDatabase } from '../system/database';
import { startApi, type TestApi } from './server';

/** The api over the real stores of flows, projects and runs, in a separate database; `carol` is an administrator. */
export interface ResourcesApi {
  api: TestApi;
  mongo: Mongo;
  flows: FlowsStore;
  projects: ProjectsStore;
  /** Sends a request that must have the status, and returns the body. */
  send<T = Record<string, unknown>>(
    request: string,
    expected: number,
    init: { user: User; body?: unknown; headers?: Record<string, string> },
  ): Promise<T>;
  close(): Promise<void>;
}

/** Starts it; `request` of `send` is a method and a path below /api/v1, as in `GET /flows`. */
export async function startResourcesApi(): Promise<ResourcesApi> {
  const mongo = openDatabase();
  const access = { adminGroups: ['admins'] };
  const flows = createFlowsStore(mongo, access);
  const projects = createProjectsStore(mongo, access);
  const api = await startApi(
    { flows, projects, flowRuns: createFlowRuns(mongo), runsStore: createRunsStore(mongo) },
    access,
  );
  return {
    api,
    mongo,
    flows,
    projects,
    send: async (request, expected, init) => {
      const [method = '', path = ''] = request.split(' ');
      const response = await api.call(method, `/api/v1${path}`, init);
      if (response.status !== expected)
        throw new Error(`${request} answered ${response.status}: ${JSON.stringify(response.body)}`);
      return response.body;
    },
    close: async () => {
      await api.close();
      for (const name of [
        'flows',
        'flow_versions',
        'projects',
        'flow_schedules',
        'job_runs',
        'job_locks',
        'run_parts',
        'run_documents',
      ])
        await mongo
          .collection(name)
          .drop()
          .catch(() => undefined);
      await mongo.close();
    },
  };
}
