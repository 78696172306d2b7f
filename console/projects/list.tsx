import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { ProjectReply } from '../../client';
import { api } from '../api';
import { NameFilter } from '../data/name-filter';
import { formatCount, formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Failure, Page, Panel } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Link, navigate, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { NameForm, type ProjectNames } from './name-form';
import { findOwnRole } from './roles';

/** The projects that the user owns or is a member of. */
export function ProjectsScreen() {
  const name = usePlace().query.get('name') || undefined;
  const offset = useOffset();
  const projects = useQuery({
    queryKey: ['projects', name, offset],
    queryFn: () => api.projects.list({ limit: pageSize, offset, name }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={texts.projects.title}>
      <p className="muted">{texts.projects.help}</p>
      <NewProject />
      <NameFilter />
      <Paged
        title={texts.projects.title}
        found={projects}
        empty={name ? texts.data.emptyFiltered : texts.projects.empty}
      >
        {({ projects }) => <ProjectTable projects={projects} />}
      </Paged>
    </Page>
  );
}

function ProjectTable({ projects }: { projects: readonly ProjectReply[] }) {
  const { user } = useSession();
  const columns: Column<ProjectReply>[] = [
    {
      title: texts.projects.name,
      kind: 'name',
      cell: ({ project_id: id, name, description }) => (
        <>
          <Link to={`/projects/${id}`}>{name}</Link>
          {description ? <span className="state-note below">{description}</span> : null}
        </>
      ),
    },
    { title: texts.projects.owner, cell: ({ owner }) => owner },
    { title: texts.projects.myRole, cell: (project) => texts.projects.roles[findOwnRole(project, user.username)] },
    { title: texts.projects.members, kind: 'num', cell: ({ members }) => formatCount(members.length) },
    { title: texts.projects.flows, kind: 'num', cell: ({ flow_count: count }) => formatCount(count) },
    { title: texts.data.changed, kind: 'when', cell: ({ modified_on: at }) => formatTime(at) },
  ];
  return (
    <ListTable label={texts.projects.title} columns={columns} rows={projects} keyOf={({ project_id: id }) => id} />
  );
}

function NewProject() {
  const create = useMutation({
    mutationFn: (names: ProjectNames) => api.projects.create(names),
    onSuccess: ({ project_id: id }) => navigate(`/projects/${id}`),
  });
  return (
    <Panel title={texts.projects.create}>
      <NameForm
        action={texts.projects.submit}
        isPending={create.isPending}
        onSubmit={(names) => create.mutate(names)}
      />
      {create.isError ? <Failure error={create.error} title={texts.projects.failed} isAction /> : null}
    </Panel>
  );
}
