import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api';
import { texts } from '../texts';

/** Selects the project of a flow. Renders nothing if there is no project to choose. */
export function ProjectChoice({
  project,
  onProject,
}: {
  project: string | undefined;
  onProject: (project: string | undefined) => void;
}) {
  const projects = useQuery({
    queryKey: ['projects', 'choices'],
    queryFn: () => api.projects.list({ limit: 100, sort: 'name' }),
  });
  const choices = projects.data?.projects ?? [];
  if (choices.length === 0) return null;
  return (
    <NativeSelect
      label={texts.projects.of}
      value={project ?? ''}
      mb={16}
      data={[
        { value: '', label: texts.projects.none },
        ...choices.map(({ project_id: value, name: label }) => ({ value, label })),
        // The current project if it is not among the first hundred.
        ...(project && !choices.some(({ project_id: id }) => id === project) ? [project] : []),
      ]}
      onChange={({ currentTarget: { value } }) => onProject(value === '' ? undefined : value)}
    />
  );
}
