import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api';
import { Failure } from '../parts/page';
import { texts } from '../texts';

const key = ['judged-queries'];

/** The judged queries of the user, the newest first. */
export function useJudgedQueries() {
  return useQuery({ queryKey: key, queryFn: () => api.judgedQueries.list({ limit: 100 }), staleTime: 30_000 });
}

/** Two buttons that mark documents with the same passage as relevant or not for a query; a second click removes the marks. */
export function Marks({ query, documentIds, title }: { query: string; documentIds: readonly string[]; title: string }) {
  const queries = useQueryClient();
  const judged = useJudgedQueries();
  const mark = useMutation({
    mutationFn: async (isRelevant: boolean | null) => {
      for (const documentId of documentIds)
        await api.judgedQueries.mark({ query, document_id: documentId, is_relevant: isRelevant });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
  const { relevant = [], not_relevant: notRelevant = [] } =
    judged.data?.items.find((item) => item.query === query.trim()) ?? {};
  const buttons = [
    { name: texts.search.relevant, value: true, isOn: documentIds.every((id) => relevant.includes(id)) },
    { name: texts.search.notRelevant, value: false, isOn: documentIds.every((id) => notRelevant.includes(id)) },
  ];
  return (
    <>
      <span className="marks">
        {buttons.map(({ name, value, isOn }) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={isOn}
            aria-label={texts.search.markOne(name, title)}
            disabled={mark.isPending}
            onClick={() => mark.mutate(isOn ? null : value)}
          >
            {name}
          </button>
        ))}
      </span>
      {mark.isError ? <Failure error={mark.error} isAction /> : null}
    </>
  );
}
