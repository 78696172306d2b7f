import { getKind, type PageItem } from './kinds';
import type { Highlighting } from './picture';
import { ItemTable } from './table';

const indentPx = 12;
const deepestIndent = 6;
/** Deeper headings look the same. */
const deepestHeading = 4;

/** A document without pages, rendered as elements from its items: text stays text, whatever it contains. */
export function Rendered({ items, highlighted, setHighlighted }: Highlighting & { items: readonly PageItem[] }) {
  return (
    <div className="rendered" onMouseLeave={() => setHighlighted(undefined)}>
      {items
        .filter(({ text, table }) => text !== '' || table)
        .map((item) => (
          <div
            key={item.ref}
            className="rendered-item"
            data-on={item.ref === highlighted}
            data-kind={getKind(item)}
            style={{ marginLeft: `${Math.min(item.depth, deepestIndent) * indentPx}px` }}
            onMouseEnter={() => setHighlighted(item.ref)}
          >
            <Body item={item} />
          </div>
        ))}
    </div>
  );
}

function Body({ item }: { item: PageItem }) {
  if (item.table) return <ItemTable table={item.table} />;
  if (item.level !== undefined)
    return (
      <p className="rendered-heading" data-level={Math.min(item.level, deepestHeading)}>
        {item.text}
      </p>
    );
  if (item.label === 'code' || item.label === 'formula') return <pre>{item.text}</pre>;
  if (item.label === 'list_item') return <p>• {item.text}</p>;
  return <p>{item.text}</p>;
}
