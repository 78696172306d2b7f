/** The members of a node that the list shows. */
interface ListedNode {
  id: string;
  title: string;
  type: string;
}

/** Nodes as buttons; the selected one is pressed. */
export function NodeButtons({
  nodes,
  chosen,
  onChoose,
  isShort = false,
}: {
  nodes: readonly ListedNode[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
  isShort?: boolean;
}) {
  return (
    <ul className={isShort ? 'tree short' : 'tree'}>
      {nodes.map(({ id, title, type }) => (
        <li key={id}>
          <button
            type="button"
            className="node"
            data-on={id === chosen}
            aria-pressed={id === chosen}
            onClick={() => onChoose(id)}
          >
            <span className="node-label">{type}</span>
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}
