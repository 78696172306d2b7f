import { v5 } from 'uuid';
import { AppError } from '../../model/errors';
import { type Acting, actingFor, type Person, type Roles } from '../../model/run/acting';
import type { FlowRecord } from '../flow/ports';

/** The job of a run and for whom it acts. */
export interface RunShare {
  jobId: string;
  acting: Acting;
}

/**
 * Runs by those who may change a flow share its job, which is named by the flow's id; a run by anyone else has a job of its
 * own. A run acts for whoever starts it and for whoever edited the flow last.
 */
export function shareOf(flow: FlowRecord, starter: Person, mayChange: boolean, roles: Roles): RunShare {
  const people = [starter, editorOf(flow, starter)];
  if (mayChange) return { jobId: flow.flow_id, acting: actingFor(people, roles, flow.owner) };
  return { jobId: ownJobId(flow.flow_id, starter.username), acting: actingFor(people, roles, starter.username) };
}

/** The job of runs by a user who may not change the flow: equal for all of them, and nobody else's. */
export function ownJobId(flowId: string, username: string): string {
  return v5(JSON.stringify([flowId, username]), v5.DNS);
}

/** FORBIDDEN when a user who may not change the flow passes run parameters, which could change what its owner meant. */
export function requireNoParameters(flowName: string, overrides: Record<string, unknown>): void {
  if (Object.keys(overrides).length === 0) return;
  throw new AppError(
    'FORBIDDEN',
    `You may run the flow '${flowName}' as it is; only those who may change it may pass a configuration.`,
  );
}

/** The groups of the starter are known better than those noted at the time of the edit. */
function editorOf({ editor, modified_by: username }: FlowRecord, starter: Person): Person {
  const known = editor ?? { username, groups: [] };
  return known.username === starter.username ? starter : known;
}
