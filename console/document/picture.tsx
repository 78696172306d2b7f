import { useState } from 'react';
import { type DocumentPage, type DocumentPages, pageImagePath } from '../../client';
import { texts } from '../texts';
import { getKind, type PageItem } from './kinds';

/** The layers that are drawn over the picture. */
export interface Shown {
  boxes: boolean;
  order: boolean;
  cells: boolean;
  uncovered: boolean;
}

/** The item that the user points at, in any of its representations. */
export interface Highlighting {
  highlighted: string | undefined;
  setHighlighted: (ref: string | undefined) => void;
}

/** Radius of the marks of the reading order, relative to the longer side of the page. */
const orderMarkSize = 1 / 75;

/** A page as displayed, with the items read in it as boxes. If it cannot be drawn, the boxes contain their texts. */
export function PagePicture({
  whole,
  page,
  shown,
  hitBoxes,
  ...highlighting
}: Highlighting & { whole: DocumentPages; page: DocumentPage; shown: Shown; hitBoxes: readonly number[][] }) {
  const [failedPage, setFailedPage] = useState<number>();
  const [width, height] = [page.width ?? 1, page.height ?? 1];
  const hasImage = whole.has_images && failedPage !== page.page;
  const name = texts.pages.picture(page.page);
  const placed = page.items.filter(({ boxes }) => boxes.length > 0);
  return (
    <div
      className="page-view"
      style={{ aspectRatio: `${width} / ${height}` }}
      onMouseLeave={() => highlighting.setHighlighted(undefined)}
    >
      {hasImage ? (
        <img
          key={page.page}
          src={pageImagePath(whole.document_id, page.page)}
          alt={name}
          onError={() => setFailedPage(page.page)}
        />
      ) : null}
      <svg
        viewBox={`0 0 ${width} ${height}`}
        aria-hidden={hasImage}
        {...(hasImage ? {} : { role: 'img', 'aria-label': name })}
      >
        {hasImage ? null : placed.map((item) => <Words key={item.ref} item={item} />)}
        {shown.cells ? placed.map((item) => <Cells key={item.ref} item={item} />) : null}
        {shown.boxes ? placed.map((item) => <Boxes key={item.ref} item={item} {...highlighting} />) : null}
        {hitBoxes.map((box) => (
          <rect key={box.join(' ')} className="found" {...buildRect(box)} />
        ))}
        {shown.uncovered
          ? (page.uncovered ?? []).map(({ text, box }) => (
              <rect key={`${text} ${box.join(' ')}`} className="uncovered" {...buildRect(box)}>
                <title>{texts.pages.inNoItem(text)}</title>
              </rect>
            ))
          : null}
        {shown.order ? <Order items={placed} size={Math.max(width, height) * orderMarkSize} /> : null}
      </svg>
    </div>
  );
}

function Boxes({ item, highlighted, setHighlighted }: Highlighting & { item: PageItem }) {
  return item.boxes.map((box) => (
    <rect
      key={box.join(' ')}
      className="box"
      data-kind={getKind(item)}
      data-on={item.ref === highlighted}
      {...buildRect(box)}
      onMouseEnter={() => setHighlighted(item.ref)}
    >
      <title>{texts.pages.item(texts.pages.kinds[getKind(item)], item.text.slice(0, 120))}</title>
    </rect>
  ));
}

function Cells({ item: { table } }: { item: PageItem }) {
  return (table?.cells ?? []).map(({ row, column, box, is_header: isHeader }) =>
    box ? <rect key={`${row} ${column}`} className="cell" data-header={isHeader} {...buildRect(box)} /> : null,
  );
}

/** The reading order as a line through the page. */
function Order({ items, size }: { items: readonly PageItem[]; size: number }) {
  const marks = items.flatMap(({ ref, order, boxes: [box] }) =>
    order === undefined || !box ? [] : [{ ref, order, x: box[0] ?? 0, y: box[1] ?? 0 }],
  );
  return (
    <g className="order">
      <polyline points={marks.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {marks.map(({ ref, order, x, y }) => (
        <g key={ref} transform={`translate(${x} ${y})`}>
          <circle r={size} />
          <text fontSize={size} textAnchor="middle" dy={size * 0.35}>
            {order}
          </text>
        </g>
      ))}
    </g>
  );
}

/** The text of an item, in place of a picture. */
function Words({ item: { text, table, boxes } }: { item: PageItem }) {
  const [box] = boxes;
  if (!box || (text === '' && !table)) return null;
  return (
    <foreignObject {...buildRect(box)}>
      <div className="words">{table ? table.cells.map((cell) => cell.text).join(' · ') : text}</div>
    </foreignObject>
  );
}

function buildRect([left = 0, top = 0, right = 0, bottom = 0]: readonly number[]) {
  return { x: left, y: top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
}
