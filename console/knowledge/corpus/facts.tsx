import type { GraphNeighbours, GraphNode } from '../../../client';
import { Panel, ValueList } from '../../parts/page';
import { Value } from '../../parts/value';
import { Link } from '../../router';
import { texts } from '../../texts';
import { toKnowledgeNode } from '../model';
import { SupportList } from './support';

/** The facts that documents state about a node, and its relations. */
export function Facts({
  found: { node, neighbours },
  graphId,
  onChoose,
}: {
  found: GraphNeighbours;
  graphId: string;
  onChoose: (id: string) => void;
}) {
  const { title, type, attributes } = toKnowledgeNode(node);
  const decisions = new URLSearchParams({ tab: 'pairs', state: 'same', type });
  return (
    <Panel title={title}>
      <p className="muted">{type}</p>
      {node.members.length > 1 ? (
        <p>
          {texts.corpus.merged(node.members.length)}{' '}
          <Link to={`/graphs/${graphId}?${decisions.toString()}`}>{texts.corpus.toMerge}</Link>
        </p>
      ) : null}
      <ValueList values={attributes.map(([name, value]) => [name, <Value key={name} value={value} />])} />
      <OtherValues node={node} />
      {neighbours.length > 0 ? <h3>{texts.graphs.relations}</h3> : null}
      <ul className="relations">
        {neighbours.map(({ label, direction, node: other }) => (
          <li key={`${direction} ${label} ${other.id}`}>
            <span className="muted">{direction === 'out' ? texts.graphs.out(label) : texts.graphs.into(label)}</span>{' '}
            <button type="button" className="chip" onClick={() => onChoose(other.id)}>
              {toKnowledgeNode(other).title}
            </button>
          </li>
        ))}
      </ul>
      <h3>{texts.corpus.passages}</h3>
      <SupportList support={node.support} />
    </Panel>
  );
}

/** Values that other documents state for the same property. */
function OtherValues({ node: { others, support } }: { node: GraphNode }) {
  if (others.length === 0) return null;
  const names = new Map(support.map(({ document_id: id, name }) => [id, name]));
  return (
    <>
      <h3>{texts.corpus.others}</h3>
      <p className="state-note">{texts.corpus.othersHelp}</p>
      <dl className="values">
        {others.map(({ property, value, documents }) => (
          <div key={`${property} ${JSON.stringify(value)}`}>
            <dt>{property}</dt>
            <dd>
              <Value value={value} />{' '}
              <span className="state-note">
                {texts.corpus.saidBy(documents.map((id) => names.get(id) ?? id).join(', '))}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
