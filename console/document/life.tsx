import { useQuery } from '@tanstack/react-query';
import type { DocumentLife as Life } from '../../client';
import { api } from '../api';
import { formatMoment } from '../format';
import { Failure, Loading, Panel } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';

/** The history of a document, oldest event first. */
export function DocumentLife({ documentId }: { documentId: string }) {
  const life = useQuery({
    queryKey: ['document', documentId, 'life'],
    queryFn: () => api.documents.life(documentId),
  });
  if (life.isPending) return <Loading />;
  if (!life.data) return <Failure error={life.error} onRetry={() => void life.refetch()} />;
  const { changed_at: changed, indexed_at: indexed, forms, ingestions } = life.data;
  return (
    <>
      {ingestions.map((ingestion) => (
        <Panel
          key={`${ingestion.run?.job_run_id} ${ingestion.version} ${ingestion.indexes.join()}`}
          title={describeIngestion(ingestion)}
        >
          <ol className="life">
            {changed ? <Moment what={texts.life.changed} at={changed} /> : null}
            {(ingestion.run?.steps ?? []).map(({ name, type, ended_at: at }) => (
              <Moment key={name} what={texts.life.step(texts.life.done[type] ?? type, name)} at={at} />
            ))}
            <Moment
              what={
                ingestion.indexes.length > 0
                  ? texts.life.indexed(ingestion.indexes.map(describeIndex).join(', '))
                  : texts.life.inNoIndex
              }
              // The steps have times; without steps only the index has one.
              at={ingestion.run ? null : indexed}
            />
          </ol>
          {ingestion.version === '' ? null : (
            <p className="state-note">{texts.life.version(ingestion.version.slice(0, 16))}</p>
          )}
          {ingestion.run ? <Link to={`/runs/${ingestion.run.job_run_id}`}>{texts.failed.toRun}</Link> : null}
        </Panel>
      ))}
      <Panel title={texts.life.forms}>
        <p>{forms.map((form) => texts.life.form[form] ?? form).join(', ')}</p>
        <p className="actions">
          {forms
            .filter((form) => form !== 'chunks')
            .map((form) => (
              <a
                key={form}
                className="action-link"
                href={`/api/v1/documents/${encodeURIComponent(documentId)}/${form}`}
                download
              >
                {texts.life.download(texts.life.form[form] ?? form)}
              </a>
            ))}
        </p>
      </Panel>
    </>
  );
}

function describeIngestion({ run, status }: Life['ingestions'][number]): string {
  const title = run ? texts.life.by(run.flow_name) : texts.life.byOther;
  return status === 'done' ? title : `${title} – ${texts.failed.states[status] ?? status}`;
}

function Moment({ what, at }: { what: string; at: string | null }) {
  return (
    <li>
      <span className="muted">{formatMoment(at)}</span>
      <span>{what}</span>
    </li>
  );
}

/** Document sets have indexes of their own, whose names begin with a mark. */
function describeIndex(name: string): string {
  return name.startsWith(setPrefix) ? texts.life.set(name.slice(setPrefix.length)) : name;
}

const setPrefix = 'document_set:';
