import type { GraphNode } from '../../../client';
import { formatCount } from '../../format';
import { Link } from '../../router';
import { texts } from '../../texts';

/** Maximum number of passages per document, and of documents. */
const maxPassages = 3;
const maxDocuments = 10;

/** The documents that support a fact, with their passages. */
export function SupportList({ support, limit = maxDocuments }: { support: GraphNode['support']; limit?: number }) {
  return (
    <>
      {support.slice(0, limit).map(({ document_id: id, name, passages }) => (
        <section key={id} aria-label={name ?? id}>
          <p className="support-name">
            <DocumentName id={id} name={name} />
          </p>
          {passages.length === 0 ? <p className="state-note">{texts.corpus.wholeDocument}</p> : null}
          {passages.slice(0, maxPassages).map(({ chunk, page, text }) => (
            <PassageText key={`${chunk} ${text}`} {...{ id, page, text }} />
          ))}
          {passages.length > maxPassages ? (
            <p className="state-note">{texts.corpus.morePassages(passages.length - maxPassages)}</p>
          ) : null}
        </section>
      ))}
      {support.length > limit ? (
        <p className="state-note">{texts.corpus.moreDocuments(support.length - limit)}</p>
      ) : null}
    </>
  );
}

/** The name of a document, as a link to the document if it is in the index. */
export function DocumentName({ id, name, page }: { id: string; name: string | undefined; page?: number }) {
  const address = `/documents/${encodeURIComponent(id)}${page === undefined ? '' : `?page=${page}`}`;
  return <Link to={address}>{name ?? id}</Link>;
}

/** A passage with its page. */
export function PassageText({ id, page, text }: { id: string; page: number | undefined; text: string }) {
  return (
    <blockquote className="passage">
      <p>{text}</p>
      {page === undefined ? null : (
        <p className="state-note">
          <Link to={`/documents/${encodeURIComponent(id)}?page=${page}`}>{texts.graphs.page(formatCount(page))}</Link>
        </p>
      )}
    </blockquote>
  );
}
