import { useEffect, useRef } from 'react';
import type { DocumentPage } from '../../client';
import { Empty, Panel } from '../parts/page';
import { texts } from '../texts';
import { getKind, type PageItem } from './kinds';
import { ItemTable } from './table';

interface Pointing {
  on: string | undefined;
  setOn: (ref: string | undefined) => void;
}

/** The items read on a page: as a tree, and below it as the resulting Markdown. Both follow the box that is pointed at. */
export function Items({ page, ...pointing }: Pointing & { page: DocumentPage }) {
  return (
    <div className="items">
      <Panel title={texts.pages.structure}>
        {page.items.length === 0 ? <Empty>{texts.pages.nothing}</Empty> : null}
        <ul className="tree" aria-label={texts.pages.structure}>
          {page.items.map((item) => (
            <Node key={item.ref} item={item} {...pointing} />
          ))}
        </ul>
      </Panel>
      <Panel title={texts.pages.markdown}>
        {page.markdown.length === 0 ? <Empty>{texts.pages.nothing}</Empty> : null}
        <ul className="tree" aria-label={texts.pages.markdown}>
          {page.markdown.map(({ text, refs }) => (
            <Piece key={refs.join(' ')} text={text} refs={refs} {...pointing} />
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function Node({ item, on, setOn }: Pointing & { item: PageItem }) {
  const row = useShownWhen<HTMLButtonElement>(item.ref === on);
  return (
    <li style={{ paddingLeft: `${Math.min(item.depth, 8) * 14}px` }}>
      <button
        ref={row}
        type="button"
        className="node"
        data-kind={getKind(item)}
        data-on={item.ref === on}
        aria-pressed={item.ref === on}
        onMouseEnter={() => setOn(item.ref)}
        onFocus={() => setOn(item.ref)}
        onClick={() => setOn(item.ref)}
      >
        <span className="node-label">
          {item.order === undefined ? '' : `${item.order} · `}
          {item.label.replaceAll('_', ' ')}
          {item.table ? ` · ${texts.pages.size(item.table.rows, item.table.columns)}` : ''}
        </span>
        {item.text ? <span className="node-text">{item.text.slice(0, 400)}</span> : null}
      </button>
      {item.table ? <ItemTable table={item.table} /> : null}
    </li>
  );
}

function Piece({ text, refs, on, setOn }: Pointing & { text: string; refs: readonly string[] }) {
  const isOn = on !== undefined && refs.includes(on);
  const row = useShownWhen<HTMLButtonElement>(isOn);
  const point = () => setOn(refs.find((ref) => !ref.startsWith('#/groups')) ?? refs[0]);
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
function useShownWhen<T extends HTMLElement>(isOn: boolean) {
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
