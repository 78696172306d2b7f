import { Alert, Checkbox, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DocumentPage, DocumentPages, DocumentReply } from '../../client';
import { api, ApiError } from '../api';
import { Failure, Loading, Panel } from '../parts/page';
import { PageTurner } from '../parts/page-turner';
import { setQuery, usePlace } from '../router';
import { texts } from '../texts';
import { Items } from './items';
import { getKind, kinds } from './kinds';
import { PagePicture, type Shown } from './picture';
import { Rendered } from './rendered';

/** Indents headings in a list, where spaces would collapse. */
const emSpace = '\u2003';
/** More headings would make the list slow to open. */
const maxHeadings = 500;

/** The pages of a document: the picture with boxes next to the items read in them, each highlighting the other. */
export function Pages({
  documentId,
  chunks,
  openId,
}: {
  documentId: string;
  chunks: readonly DocumentReply[];
  openId: string;
}) {
  const { query } = usePlace();
  const whole = useQuery({
    queryKey: ['document', documentId, 'pages'],
    queryFn: () => api.documents.pages(documentId),
    staleTime: 60_000,
    retry: false,
  });
  const hit = chunks.find(({ id }) => id === openId);
  const first = hit?.provenance?.pages[0] ?? whole.data?.pages[0]?.page ?? 1;
  const page = Number(query.get('page')) || first;
  if (whole.isPending) return <Loading />;
  if (!whole.data) return <NotKept error={whole.error} />;
  const currentPage = whole.data.pages.some((candidate) => candidate.page === page)
    ? page
    : (whole.data.pages[0]?.page ?? 1);
  const hitBoxes = (hit?.provenance?.boxes ?? []).filter((box) => box.page === currentPage).map(({ bbox }) => bbox);
  return (
    <>
      {whole.data.pages.length > 1 || whole.data.headings.length > 0 ? (
        <PageSelector whole={whole.data} page={currentPage} />
      ) : null}
      <OnePage
        key={query.get('item')}
        whole={whole.data}
        page={currentPage}
        hitBoxes={hitBoxes}
        item={query.get('item')}
      />
    </>
  );
}

/** The page selector, by number and by heading. */
function PageSelector({ whole, page }: { whole: DocumentPages; page: number }) {
  const numbers = whole.pages.map((page) => page.page);
  const go = (to: number) => setQuery({ page: String(to), item: undefined });
  const name = whole.kind === 'pages' ? texts.pages.page : texts.pages.part;
  return (
    <div className="filters turner">
      {numbers.length > 1 ? <PageTurner name={name} numbers={numbers} page={page} onPage={go} /> : null}
      {whole.headings.length > 0 ? (
        <NativeSelect
          label={texts.pages.heading}
          value=""
          className="grow"
          data={[
            { value: '', label: texts.pages.toHeading },
            ...whole.headings.slice(0, maxHeadings).map(({ ref, text, level, page: to }) => ({
              value: `${to} ${ref}`,
              label: `${emSpace.repeat(Math.max(0, level - 1))}${text || ref} (${to})`,
            })),
          ]}
          onChange={(event) => go(Number(event.currentTarget.value.split(' ')[0]))}
        />
      ) : null}
    </div>
  );
}

function OnePage({
  whole,
  page,
  hitBoxes,
  item,
}: {
  whole: DocumentPages;
  page: number;
  hitBoxes: readonly number[][];
  /** The item that is highlighted first. */
  item: string | null;
}) {
  const [highlighted, setHighlighted] = useState(item ?? undefined);
  const [shown, setShown] = useState<Shown>({ boxes: true, order: false, cells: true, uncovered: true });
  const result = useQuery({
    queryKey: ['document', whole.document_id, 'page', page],
    queryFn: () => api.documents.page(whole.document_id, page, { uncovered: whole.has_images }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  if (result.isPending) return <Loading />;
  if (!result.data) return <Failure error={result.error} onRetry={() => void result.refetch()} />;
  const { width, height, items } = result.data;
  // Pages of spreadsheets are measured in cells, not in points.
  const isSheet = items.some(({ label }) => label === 'sheet');
  const hasPicture = !isSheet && width !== null && height !== null && width > 0 && height > 0;
  const name = whole.kind === 'pages' ? texts.pages.page : texts.pages.part;
  return (
    <div className="beside">
      <Panel title={`${name} ${result.data.page}`}>
        {hasPicture ? (
          <>
            <Choices shown={shown} setShown={setShown} page={result.data} />
            <PagePicture {...{ whole, page: result.data, shown, hitBoxes, highlighted, setHighlighted }} />
            <Legend page={result.data} />
          </>
        ) : (
          <Rendered items={result.data.items} {...{ highlighted, setHighlighted }} />
        )}
      </Panel>
      <Items page={result.data} {...{ highlighted, setHighlighted }} />
    </div>
  );
}

function Choices({
  shown,
  setShown,
  page: { uncovered = [], items },
}: {
  shown: Shown;
  setShown: (shown: Shown) => void;
  page: DocumentPage;
}) {
  const isOffered = {
    boxes: true,
    order: true,
    cells: items.some(({ table }) => table),
    uncovered: uncovered.length > 0,
  };
  const names = (['boxes', 'order', 'cells', 'uncovered'] as const).filter((name) => isOffered[name]);
  return (
    <div className="filters">
      {names.map((name) => (
        <Checkbox
          key={name}
          label={name === 'uncovered' ? texts.pages.uncovered(uncovered.length) : texts.pages.shown[name]}
          checked={shown[name]}
          onChange={(event) => setShown({ ...shown, [name]: event.currentTarget.checked })}
        />
      ))}
    </div>
  );
}

/** The colours of the kinds that occur on the page. */
function Legend({ page: { items } }: { page: DocumentPage }) {
  const shownKinds = new Set(items.filter(({ boxes }) => boxes.length > 0).map(getKind));
  return (
    <ul className="legend" aria-label={texts.pages.legend}>
      {kinds
        .filter((kind) => shownKinds.has(kind))
        .map((kind) => (
          <li key={kind} data-kind={kind}>
            {texts.pages.kinds[kind]}
          </li>
        ))}
    </ul>
  );
}

/** Says why a form of a document is missing; other errors are shown as failures. */
export function NotKept({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.code !== 'DOCUMENT_FORM_NOT_FOUND') return <Failure error={error} />;
  return (
    <Alert color="gray" variant="outline" title={texts.pages.notKept}>
      <p>{error.message}</p>
    </Alert>
  );
}
