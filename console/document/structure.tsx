import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { DocumentPage, DocumentPages } from '../../client';
import { api } from '../api';
import { Empty, Failure, Loading, Panel } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';
import { ItemLabel } from './item-label';
import { getKind } from './kinds';
import { NotKept } from './pages';

const maxCharacters = 300;
/** Deeper items are not indented further. */
const maxDepth = 8;
const indentPx = 18;

/** The tree of the whole document, page by page. Each item leads to its place on the page. */
export function Structure({ documentId }: { documentId: string }) {
  const whole = useQuery({
    queryKey: ['document', documentId, 'pages'],
    queryFn: () => api.documents.pages(documentId),
    staleTime: 60_000,
    retry: false,
  });
  if (whole.isPending) return <Loading />;
  if (!whole.data) return <NotKept error={whole.error} />;
  return <Tree whole={whole.data} documentId={documentId} />;
}

function Tree({ whole, documentId }: { whole: DocumentPages; documentId: string }) {
  const name = whole.kind === 'pages' ? texts.pages.page : texts.pages.part;
  const numbers = whole.pages.map(({ page }) => page);
  const parts = useInfiniteQuery({
    queryKey: ['document', documentId, 'structure'],
    initialPageParam: 0,
    queryFn: ({ pageParam: index }) => api.documents.page(documentId, numbers[index] ?? 1),
    getNextPageParam: (_last, loaded) => (loaded.length < numbers.length ? loaded.length : undefined),
    staleTime: 60_000,
  });
  const next = numbers[parts.data?.pages.length ?? 0];
  return (
    <Panel title={texts.document.wholeStructure}>
      <p className="muted">{texts.document.structureHelp}</p>
      {parts.isPending ? <Loading /> : null}
      {(parts.data?.pages ?? []).map((page) => (
        <PartOfTree key={page.page} page={page} name={name} documentId={documentId} />
      ))}
      {parts.isError ? <Failure error={parts.error} onRetry={() => void parts.fetchNextPage()} /> : null}
      {parts.hasNextPage && next !== undefined ? (
        <Button variant="default" loading={parts.isFetchingNextPage} onClick={() => void parts.fetchNextPage()}>
          {texts.document.moreParts(name, next)}
        </Button>
      ) : null}
    </Panel>
  );
}

function PartOfTree({ page, name, documentId }: { page: DocumentPage; name: string; documentId: string }) {
  const title = texts.document.structurePart(name, page.page, page.items.length);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {page.items.length === 0 ? <Empty>{texts.pages.nothing}</Empty> : null}
      <ul className="tree whole">
        {page.items.map((item) => (
          <li key={item.ref} style={{ paddingLeft: `${Math.min(item.depth, maxDepth) * indentPx}px` }}>
            <Link
              className="node"
              data-kind={getKind(item)}
              to={`/documents/${encodeURIComponent(documentId)}?${buildQuery(page.page, item.ref)}`}
            >
              <ItemLabel item={item} />
              {item.text ? <span className="node-text">{shorten(item.text)}</span> : null}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function buildQuery(page: number, item: string): string {
  return new URLSearchParams({ page: String(page), item }).toString();
}

function shorten(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)} …` : text;
}
