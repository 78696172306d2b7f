import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api';
import { texts } from '../texts';

/** The project that a flow belongs to. Nothing where there is no project to choose. */
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
        // One that is not among the first hundred.
        ...(project && !choices.some(({ project_id: id }) => id === project) ? [project] : []),
      ]}
      onChange={({ currentTarget: { value } }) => onProject(value === '' ? undefined : value)}
    />
  );
}
