import { useEffect, useRef } from 'react';
import type { DocumentPage } from '../../client';
import { Empty, Panel } from '../parts/page';
import { texts } from '../texts';
import { ItemLabel } from './item-label';
import { getKind, type PageItem } from './kinds';
import type { Highlighting } from './picture';
import { ItemTable } from './table';

/** Deeper items are not indented further. */
const maxDepth = 8;
const indentPx = 14;
const maxCharacters = 400;

/** The items read on a page: as a tree, and below it as the resulting Markdown. Both highlight what belongs to the box that is pointed at. */
export function Items({ page, ...highlighting }: Highlighting & { page: DocumentPage }) {
  return (
    <div className="items">
      <Panel title={texts.pages.structure}>
        {page.items.length === 0 ? <Empty>{texts.pages.nothing}</Empty> : null}
        <ul className="tree" aria-label={texts.pages.structure}>
          {page.items.map((item) => (
            <Node key={item.ref} item={item} {...highlighting} />
          ))}
        </ul>
      </Panel>
      <Panel title={texts.pages.markdown}>
        {page.markdown.length === 0 ? <Empty>{texts.pages.nothing}</Empty> : null}
        <ul className="tree" aria-label={texts.pages.markdown}>
          {page.markdown.map(({ text, refs }) => (
            <Piece key={refs.join(' ')} text={text} refs={refs} {...highlighting} />
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function Node({ item, highlighted, setHighlighted }: Highlighting & { item: PageItem }) {
  const row = useScrollIntoView<HTMLButtonElement>(item.ref === highlighted);
  return (
    <li style={{ paddingLeft: `${Math.min(item.depth, maxDepth) * indentPx}px` }}>
      <button
        ref={row}
        type="button"
        className="node"
        data-kind={getKind(item)}
        data-on={item.ref === highlighted}
        aria-pressed={item.ref === highlighted}
        onMouseEnter={() => setHighlighted(item.ref)}
        onFocus={() => setHighlighted(item.ref)}
        onClick={() => setHighlighted(item.ref)}
      >
        <ItemLabel item={item} />
        {item.text ? <span className="node-text">{item.text.slice(0, maxCharacters)}</span> : null}
      </button>
      {item.table ? <ItemTable table={item.table} /> : null}
    </li>
  );
}

function Piece({ text, refs, highlighted, setHighlighted }: Highlighting & { text: string; refs: readonly string[] }) {
  const isOn = highlighted !== undefined && refs.includes(highlighted);
  const row = useScrollIntoView<HTMLButtonElement>(isOn);
  // A passage of a list has a reference to its group too, which has no box.
  const point = () => setHighlighted(refs.find((ref) => !ref.startsWith('#/groups')) ?? refs[0]);
  return (
    <li>
      <button
        ref={row}
        type="button"
        className="node"
        data-on={isOn}
        aria-pressed={isOn}
        onMouseEnter={point}
        onFocus={point}
        onClick={point}
      >
        <span className="node-markdown">{text}</span>
      </button>
    </li>
  );
}

/** Scrolls the element into view in its list when it is highlighted from elsewhere. */
function useScrollIntoView<T extends HTMLElement>(isOn: boolean) {
  const element = useRef<T>(null);
  useEffect(() => {
    const { current } = element;
    const list = current?.closest('ul');
    if (!isOn || !current || !list || current.matches(':hover, :focus')) return;
    const [inner, outer] = [current.getBoundingClientRect(), list.getBoundingClientRect()];
    if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
    else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
  }, [isOn]);
  return element;
}
