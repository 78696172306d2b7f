import { randomUUID } from 'node:crypto';
import type { ResourcesApi } from '../api/resources-fixture';
import { alice, sampleFlow } from '../api/server';

/** A flow as the API sends it in the authoring format; only the members that tests look at. */
export interface FlowBody {
  flow_id: string;
  flow_name: string;
  flow: { name: string; config: Record<string, unknown> }[];
  created_on: string;
  global_config: Record<string, unknown>;
}

/** A flow as the API sends it in the format of the graphical editor; only the members that tests look at. */
export interface ElyraBody {
  flow_id: string;
  name: string;
  definition: { pipelines: { nodes: { id: string; parameters: Record<string, unknown> }[] }[] };
}

/** The mask of a secret in replies. */
export const mask = '********';

/** A name that no other test uses. */
export const unique = (name: string): string => `${name}-${randomUUID()}`;

/** The code of the first error of an error body. */
export const getCode = (body: unknown): string | undefined => (body as { errors: { code: string }[] }).errors[0]?.code;

/** Common steps of flow tests; `resources` is called each time, because `beforeAll` starts them. */
export function flowCalls(resources: () => ResourcesApi) {
  return {
    make: (more: Record<string, unknown> = {}, user = alice) =>
      resources().send<FlowBody>('POST /flows', 201, { user, body: { ...sampleFlow(unique('flow')), ...more } }),
    call: (method: string, path: string, init: Parameters<ResourcesApi['api']['call']>[2]) =>
      resources().api.call(method, `/api/v1${path}`, init),
    stored: (flowId: string) => resources().flows.get(alice, flowId),
  };
}
