import { Alert, Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { etagOf, type ProjectFlow, type ProjectPatch, type ProjectReply } from '../../client';
import { api, ApiError } from '../api';
import { formatCount, formatTime } from '../format';
import { ConfirmButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { Failure, Loading, Page, Panel } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { State } from '../parts/state';
import { Link, navigate } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { Members } from './members';
import { NameForm } from './name-form';
import { findOwnRole } from './roles';

/** One project: its flows, its members and their roles, its name. */
export function ProjectScreen({ projectId }: { projectId: string }) {
  const project = useQuery({
    queryKey: ['project', projectId],
    queryFn: () => api.projects.get(projectId),
    // The client looks up the ETag by the exact object that it returned.
    structuralSharing: false,
    // Data being edited must not change while the user works on it.
    refetchOnWindowFocus: false,
  });
  if (project.isPending) return <Loading />;
  if (!project.data)
    return (
      <Page title={texts.projects.one}>
        <Failure error={project.error} />
        <Link to="/projects">{texts.projects.all}</Link>
      </Page>
    );
  return <Project project={project.data} onReload={() => void project.refetch()} />;
}

function Project({ project, onReload }: { project: ProjectReply; onReload: () => void }) {
  const queries = useQueryClient();
  const { user } = useSession();
  const { project_id: id, name, owner, description } = project;
  const role = findOwnRole(project, user.username);
  const mayManage = ['owner', 'manager', 'none'].includes(role);
  const save = useMutation({
    mutationFn: (change: ProjectPatch) => api.projects.patch(id, change, { ifMatch: etagOf(project) }),
    onSuccess: (saved) => {
      queries.setQueryData(['project', id], saved);
      void queries.invalidateQueries({ queryKey: ['projects'] });
    },
  });
  return (
    <Page title={name} actions={role === 'owner' || role === 'none' ? <RemoveProject project={project} /> : null}>
      <p className="muted">
        <Link to="/projects">{texts.projects.all}</Link> · {texts.projects.owner}: {owner} · {texts.projects.myRole}:{' '}
        {texts.projects.roles[role]}
      </p>
      {description ? <p>{description}</p> : null}
      <p role="status">{save.isSuccess ? texts.projects.saved : null}</p>
      {save.isError ? (
        <Refused
          error={save.error}
          onReload={() => {
            save.reset();
            onReload();
          }}
        />
      ) : null}
      <Members
        key={`members ${project.modified_on}`}
        project={project}
        mayManage={mayManage}
        isPending={save.isPending}
        onSave={save.mutate}
      />
      <Flows projectId={id} />
      {mayManage ? (
        <About key={`about ${project.modified_on}`} project={project} isPending={save.isPending} onSave={save.mutate} />
      ) : null}
    </Page>
  );
}

function Refused({ error, onReload }: { error: unknown; onReload: () => void }) {
  if (!(error instanceof ApiError) || error.code !== 'PRECONDITION_FAILED')
    return <Failure error={error} title={texts.projects.failed} isAction />;
  return (
    <Alert color="red" variant="outline" role="alert" title={texts.projects.failed} mb={16}>
      <p>{texts.projects.changedElsewhere}</p>
      <Button size="xs" variant="default" onClick={onReload}>
        {texts.projects.reload}
      </Button>
    </Alert>
  );
}

function About({
  project,
  isPending,
  onSave,
}: {
  project: ProjectReply;
  isPending: boolean;
  onSave: (change: ProjectPatch) => void;
}) {
  return (
    <Panel title={texts.projects.settings}>
      <NameForm stored={project} action={texts.projects.save} isPending={isPending} onSubmit={onSave} />
    </Panel>
  );
}

const flowColumns: readonly Column<ProjectFlow>[] = [
  {
    title: texts.failed.flow,
    kind: 'name',
    cell: ({ flow_id: id, name }) => <Link to={`/flows/${id}`}>{name}</Link>,
  },
  {
    title: texts.projects.lastRun,
    cell: ({ job_run_summary: runs }) =>
      runs ? (
        <Link to={`/runs/${runs.last_run_id}`}>
          <State state={runs.last_run_status} />
        </Link>
      ) : (
        texts.projects.never
      ),
  },
  {
    title: texts.projects.runs,
    kind: 'num',
    cell: ({ job_run_summary: runs }) => formatCount(runs?.total_runs ?? 0),
  },
  { title: texts.data.changed, kind: 'when', cell: ({ modified_on: at }) => formatTime(at) },
];

function Flows({ projectId }: { projectId: string }) {
  const offset = useOffset();
  const flows = useQuery({
    queryKey: ['project', projectId, 'flows', offset],
    queryFn: async () => {
      const page = await api.projects.flows(projectId, { limit: pageSize, offset });
      return { ...page, total: page.total_count };
    },
  });
  return (
    <Paged title={texts.projects.flows} found={flows} empty={texts.projects.noFlows}>
      {(page) => (
        <ListTable
          label={texts.projects.flows}
          columns={flowColumns}
          rows={page.flows}
          keyOf={({ flow_id: id }) => id}
        />
      )}
    </Paged>
  );
}

function RemoveProject({ project }: { project: ProjectReply }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.projects.remove(project.project_id, { ifMatch: etagOf(project) }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['projects'] });
      navigate('/projects');
    },
  });
  return (
    <>
      <ConfirmButton
        label={texts.projects.remove}
        question={texts.projects.sure}
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
      {remove.isError ? <Failure error={remove.error} isAction /> : null}
    </>
  );
}
