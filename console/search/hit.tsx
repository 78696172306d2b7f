import { Fragment } from 'react';
import type { DocumentReply } from '../../client';
import { Highlight } from '../parts/highlight';
import { readText } from '../parts/read-text';
import { Link } from '../router';
import { texts } from '../texts';
import { Marks } from './marks';
import { omitTableMarks, takeEnd, takeStart } from './passage';
import { listDocumentIds } from './repeats';

/** Length of a text without a matching passage, and of the texts before and after it. */
const maxCharacters = 300;

/**
 * A result with its passages, and links to its `repeats`. `rank` is its position when rankings are shown side by side;
 * with a `query`, the result can be marked.
 */
export function Hit({
  document,
  repeats = [],
  rank,
  query,
}: {
  document: DocumentReply;
  repeats?: readonly DocumentReply[];
  rank?: number;
  query: string | undefined;
}) {
  const { id, title, metadata, content, highlights = {}, neighbours, facts = [] } = document;
  const passages = highlights['content'] ?? [];
  const linkText = title || readText(metadata, 'name') || id;
  return (
    <article className="hit">
      <h3>
        <Link to={`/documents/${encodeURIComponent(id)}`}>{linkText}</Link>
      </h3>
      <p className="state-note">
        {[...listFacts(document, rank), ''].join(' · ')}
        <Link to={`/search?like=${encodeURIComponent(id)}`}>{texts.search.like}</Link>
      </p>
      {(neighbours?.before ?? []).map((item) => (
        <p key={item.id} className="muted">
          {takeEnd(item.content, maxCharacters)}
        </p>
      ))}
      {passages.length > 0 ? (
        passages.map((passage) => (
          <p key={passage}>
            <Highlight passage={omitTableMarks(passage)} />
          </p>
        ))
      ) : (
        <p>{omitTableMarks(takeStart(content, maxCharacters))}</p>
      )}
      {(neighbours?.after ?? []).map((item) => (
        <p key={item.id} className="muted">
          {takeStart(item.content, maxCharacters)}
        </p>
      ))}
      <Facts facts={facts} />
      {repeats.length > 0 ? (
        <p className="state-note">
          {texts.search.repeats(repeats.length)}{' '}
          {repeats.map(({ id: other }, index) => (
            <Fragment key={other}>
              {index === 0 ? '' : ', '}
              <Link to={`/documents/${encodeURIComponent(other)}`}>{texts.search.repeat(index + 2)}</Link>
            </Fragment>
          ))}
        </p>
      ) : null}
      {query ? <Marks query={query} documentIds={listDocumentIds([document, ...repeats])} title={linkText} /> : null}
    </article>
  );
}

/** The facts of a graph that led to the hit, with links to their nodes. */
function Facts({ facts }: { facts: NonNullable<DocumentReply['facts']> }) {
  if (facts.length === 0) return null;
  return (
    <ul className="hit-facts" aria-label={texts.search.facts}>
      {facts.map(({ graph_id: graph, passage, nodes }) => (
        <li key={`${graph} ${passage}`}>
          {texts.search.fact(passage)}{' '}
          <span className="state-note">
            {nodes.map(({ id, label, title }, index) => (
              <Fragment key={id}>
                {index === 0 ? `${texts.asking.about} ` : ', '}
                <Link to={`/graphs/${encodeURIComponent(graph)}?node=${encodeURIComponent(id)}`}>{title ?? label}</Link>
              </Fragment>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

function listFacts({ metadata, provenance, group, explanation }: DocumentReply, rank: number | undefined): string[] {
  const pages = provenance?.pages ?? [];
  const { words, vectors } = explanation?.ranks ?? {};
  const { similarity, rerank_score: modelScore } = explanation ?? {};
  return [
    rank === undefined ? '' : texts.search.rank(rank),
    words === undefined ? '' : texts.search.wordsRank(words),
    vectors === undefined ? '' : texts.search.vectorsRank(vectors),
    similarity === undefined ? '' : texts.search.similarity(similarity.toFixed(3)),
    modelScore === undefined ? '' : texts.search.modelScore(modelScore.toFixed(3)),
    readText(metadata, 'name'),
    pages.length > 0 ? texts.document.pages(pages) : '',
    group ? texts.search.records(group.records) : '',
  ].filter(Boolean);
}
