import { toElyra } from '../../model/elyra/elyra';
import type { ElyraFlowReply } from '../../model/elyra/wire';
import { maskSecrets } from '../../model/flow/secrets';
import type { FlowReply } from '../../model/flow/wire-flows';
import type { FlowRecord } from '../../services/flow/ports';

/** The flow in the requested format, else in the one it was stored in, with secrets masked. */
export function toFlowReply(record: FlowRecord, isElyra = record.elyra !== undefined): FlowReply | ElyraFlowReply {
  return isElyra ? toElyraReply(record) : toAuthoringReply(record);
}

/** The graphical part of a flow, generated from its operators if it was stored in the authoring format. */
export function getGraphicalPart(record: FlowRecord): NonNullable<FlowRecord['elyra']> {
  const { project_id: project = null } = record;
  return (
    record.elyra ?? {
      definition: toElyra(record),
      container_kind: project === null ? null : 'project',
      container_id: project,
      is_hidden: false,
      job_id: null,
    }
  );
}

function toAuthoringReply({ revision: _revision, elyra: _elyra, editor: _editor, ...record }: FlowRecord): FlowReply {
  return maskSecrets(record);
}

function toElyraReply(record: FlowRecord): ElyraFlowReply {
  const { definition, ...part } = getGraphicalPart(record);
  return {
    flow_id: record.flow_id,
    name: record.flow_name,
    description: record.description ?? null,
    definition: maskSecrets(definition),
    tags: record.tags ?? [],
    ...part,
    flow_version: record.flow_version,
    created_on: record.created_on,
    modified_on: record.modified_on,
    created_by: record.created_by,
    modified_by: record.modified_by,
    owner: record.owner,
    readers: record.readers,
    href: `/api/v1/flows/${record.flow_id}`,
  };
}
