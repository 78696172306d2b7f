import { Type } from '@sinclair/typebox';
import { type ProjectFlow, ProjectFlowPage, ProjectId } from '../../model/flow/wire-projects';
import type { FlowRecord, FlowRunSummary } from '../../services/flow/ports';
import { listing, buildPageLinks, resourceOrder } from '../http/page';
import { projectPolicy, read } from '../http/policies';
import { route } from '../http/route';

export const listProjectFlows = route({
  method: 'GET',
  path: '/api/v1/projects/{project_id}/flows',
  summary: 'The flows of a project, newest first, each with statistics of its runs.',
  params: Type.Object({ project_id: ProjectId }),
  query: Type.Object({
    ...listing,
    sort: resourceOrder,
    is_hidden: Type.Optional(Type.Boolean()),
    is_elyra: Type.Optional(Type.Boolean()),
  }),
  replies: { 200: ProjectFlowPage },
  errors: ['PROJECT_NOT_FOUND'],
  handler: async ({ params, query, url, ...context }) => {
    const { user, services } = context;
    const project = await read(projectPolicy, params.project_id, context);
    const { limit = 100, offset = 0, name, tags, is_hidden: isHidden, is_elyra: isElyra } = query;
    const { items, total } = await services.flows.list(user, {
      limit,
      offset,
      name,
      tags,
      sort: query.sort?.replace(/^(-?)name$/, '$1flow_name'),
      projectId: project.project_id,
      isHidden,
      isElyra,
    });
    const summaries = await services.flowRuns.summarize(items.map(({ flow_id }) => flow_id));
    return {
      flows: items.map((flow) => toProjectFlow(flow, summaries.get(flow.flow_id))),
      total_count: total,
      offset,
      limit,
      ...buildPageLinks(url, { limit, offset, total }),
    };
  },
});

function toProjectFlow(flow: FlowRecord, summary: FlowRunSummary | undefined): ProjectFlow {
  const { flow_id, flow_name: name, tags = [], created_on, modified_on, created_by, modified_by } = flow;
  return {
    flow_id,
    name,
    tags,
    created_on,
    modified_on,
    created_by,
    modified_by,
    job_run_summary: summary ? toRunSummary(summary) : null,
  };
}

function toRunSummary({ total, byStatus, last }: FlowRunSummary): NonNullable<ProjectFlow['job_run_summary']> {
  return {
    total_runs: total,
    last_run_id: last.job_run_id,
    last_run_status: last.status,
    last_run_start_time: last.started_at === null ? null : Math.floor(Date.parse(last.started_at) / 1000),
    status_counts: byStatus,
  };
}
