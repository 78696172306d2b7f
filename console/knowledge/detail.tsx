import { formatCount } from '../format';
import { Empty, Loading, Panel, ValueList } from '../parts/page';
import { Value } from '../parts/value';
import { Link } from '../router';
import { texts } from '../texts';
import { type Knowledge, type KnowledgeNode, type Passage, listPassages } from './model';

/** The `provenance.json` of a graph: undefined while loading, null if there is none. */
export type Ledger = Record<string, unknown> | null | undefined;

/** The attributes and relations of a node, and the passages that support them. */
export function NodeDetail({
  node,
  graph,
  ledger,
  documentId,
  onChoose,
}: {
  node: KnowledgeNode;
  graph: Knowledge;
  ledger: Ledger;
  /** Undefined if the document is not in an index. */
  documentId: string | undefined;
  onChoose: (id: string) => void;
}) {
  return (
    <Panel title={node.title}>
      <p className="muted">{node.type}</p>
      <h3>{texts.graphs.attributes}</h3>
      <ValueList values={node.attributes.map(([name, value]) => [name, <Value key={name} value={value} />])} />
      <Relations {...{ node, graph, onChoose }} />
      <h3>{texts.graphs.passages}</h3>
      {ledger === undefined ? <Loading /> : null}
      {ledger === null ? <Empty>{texts.graphs.noProvenance}</Empty> : null}
      {ledger ? <Passages passages={listPassages(node, ledger)} documentId={documentId} /> : null}
    </Panel>
  );
}

function Relations({
  node,
  graph,
  onChoose,
}: {
  node: KnowledgeNode;
  graph: Knowledge;
  onChoose: (id: string) => void;
}) {
  const byId = new Map(graph.nodes.map((other) => [other.id, other]));
  const related = graph.edges.flatMap(({ source, target, label }) => {
    if (source === node.id) return [{ relation: texts.graphs.out(label), other: byId.get(target) }];
    return target === node.id ? [{ relation: texts.graphs.into(label), other: byId.get(source) }] : [];
  });
  if (related.length === 0) return null;
  return (
    <>
      <h3>{texts.graphs.relations}</h3>
      <ul className="relations">
        {related.map(({ relation, other }) =>
          other ? (
            <li key={`${relation} ${other.id}`}>
              <span className="muted">{relation}</span>{' '}
              <button type="button" className="chip" onClick={() => onChoose(other.id)}>
                {other.title}
              </button>
            </li>
          ) : null,
        )}
      </ul>
    </>
  );
}

function Passages({ passages, documentId }: { passages: readonly Passage[]; documentId: string | undefined }) {
  if (passages.length === 0) return <Empty>{texts.graphs.noPassages}</Empty>;
  return passages.map(({ field, before, said, after, page }) => (
    <blockquote key={`${field} ${before} ${said} ${page}`} className="passage">
      <p>
        {before}
        <mark>{said}</mark>
        {after}
      </p>
      <p className="state-note">
        {field}
        {page === null ? null : (
          <>
            {' · '}
            {documentId === undefined ? (
              texts.graphs.page(formatCount(page))
            ) : (
              <Link to={`/documents/${encodeURIComponent(documentId)}?page=${page}`}>
                {texts.graphs.page(formatCount(page))}
              </Link>
            )}
          </>
        )}
      </p>
    </blockquote>
  ));
}
