import { useQuery } from '@tanstack/react-query';
import { api } from '../api';
import { formatCount } from '../format';
import { Empty, Failure, Loading, Panel } from '../parts/page';
import { texts } from '../texts';

/** Who may read a document, and by which rule. With `isQuiet`, shows nothing while loading and to users who may not know. */
export function DocumentAccess({ documentId, isQuiet = false }: { documentId: string; isQuiet?: boolean }) {
  const access = useQuery({
    queryKey: ['document', documentId, 'access'],
    queryFn: () => api.documents.access(documentId),
    retry: false,
  });
  if (access.isPending) return isQuiet ? null : <Loading />;
  if (!access.data) return isQuiet ? null : <Failure error={access.error} />;
  const { you_may_read: mayRead, rule, readers, records, owners } = access.data;
  return (
    <Panel title={texts.access.title}>
      <p>{mayRead ? texts.access.you : texts.access.notYou}</p>
      <p>{texts.access.rules[rule ?? 'unknown']}</p>
      <p className="state-note">{texts.access.explained}</p>
      {readers ? (
        <>
          <h3>{texts.access.everybody}</h3>
          {readers.length === 0 ? <Empty>{texts.access.nobody}</Empty> : null}
          <ul className="names">
            {readers.map(({ user, records: count }) => (
              <li key={user}>
                {user}
                {count === undefined || count === records ? null : (
                  <span className="muted"> {texts.access.some(formatCount(count), formatCount(records ?? 0))}</span>
                )}
              </li>
            ))}
          </ul>
          {owners && owners.length > 0 ? <p className="state-note">{texts.access.owners(owners.join(', '))}</p> : null}
        </>
      ) : null}
    </Panel>
  );
}
