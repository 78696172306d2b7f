import { v5 } from 'uuid';
import { AppError } from '../../model/errors';
import { type RunRights, intersectRights, type Person, type Roles } from '../../model/run/rights';
import type { FlowRecord } from '../flow/ports';

/** The job of a run, and the people for whom the run acts. */
export interface RunShare {
  jobId: string;
  acting: RunRights;
}

/**
 * Runs by users who may change a flow share its job, whose id is the flow's id. A run by anyone else has a separate job. A run
 * acts for the user who starts it and the user who last edited the flow.
 */
export function computeShare(
  flow: FlowRecord,
  starter: Person,
  { mayChange, roles }: { mayChange: boolean; roles: Roles },
): RunShare {
  const people = [starter, getEditor(flow, starter)];
  if (mayChange) return { jobId: flow.flow_id, acting: intersectRights(people, roles, flow.owner) };
  return {
    jobId: getOwnJobId(flow.flow_id, starter.username),
    acting: intersectRights(people, roles, starter.username),
  };
}

/** The job id for a user who may not change the flow: the same for all of that user's runs, different for each user. */
export function getOwnJobId(flowId: string, username: string): string {
  return v5(JSON.stringify([flowId, username]), v5.DNS);
}

/** Throws FORBIDDEN if a user who may not change the flow passes run parameters, which could change what its owner intended. */
export function requireNoParameters(flowName: string, overrides: Record<string, unknown>): void {
  if (Object.keys(overrides).length === 0) return;
  throw new AppError(
    'FORBIDDEN',
    `You may run the flow '${flowName}' as it is; only those who may change it may pass a configuration.`,
  );
}

/** When the starter is the editor, the current groups replace those recorded at the time of the edit. */
function getEditor({ editor, modified_by: username }: FlowRecord, starter: Person): Person {
  const person = editor ?? { username, groups: [] };
  return person.username === starter.username ? starter : person;
}
