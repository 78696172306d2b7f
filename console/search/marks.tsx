import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api';
import { Failure } from '../parts/page';
import { texts } from '../texts';

const key = ['judged-queries'];

/** The judged queries of the user, the newest first. */
export function useJudgedQueries() {
  return useQuery({ queryKey: key, queryFn: () => api.judgedQueries.list({ limit: 100 }), staleTime: 30_000 });
}

/** Two buttons that mark a document as relevant or not for a query; a second click removes the mark. */
export function Marks({ query, documentId, title }: { query: string; documentId: string; title: string }) {
  const queries = useQueryClient();
  const judged = useJudgedQueries();
  const mark = useMutation({
    mutationFn: (isRelevant: boolean | null) =>
      api.judgedQueries.mark({ query, document_id: documentId, is_relevant: isRelevant }),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
  const { relevant = [], not_relevant: notRelevant = [] } =
    judged.data?.items.find((item) => item.query === query.trim()) ?? {};
  const buttons = [
    { name: texts.search.relevant, value: true, isOn: relevant.includes(documentId) },
    { name: texts.search.notRelevant, value: false, isOn: notRelevant.includes(documentId) },
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
