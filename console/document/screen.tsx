import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DocumentReply } from '../../client';
import { api } from '../api';
import { formatCount } from '../format';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { Link, setQuery, usePlace } from '../router';
import { texts } from '../texts';
import { DocumentAccess } from './access';
import { DocumentLife } from './life';
import { Pages } from './pages';

const mostChunks = 100;
const tabs = ['pages', 'chunks', 'life', 'access', 'json'] as const;

/** One document: its page images, its content, its history, and its readers. */
export function DocumentScreen({ documentId }: { documentId: string }) {
  const opened = useQuery({ queryKey: ['document', documentId], queryFn: () => openDocument(documentId) });
  if (opened.isPending) return <Loading />;
  if (!opened.data)
    return (
      <Page title={texts.document.title}>
        <Failure error={opened.error} onRetry={() => void opened.refetch()} />
        <DocumentAccess documentId={documentId} isQuiet />
        <Link to="/search">{texts.search.title}</Link>
      </Page>
    );
  const { id, record } = opened.data;
  const { title, metadata } = record;
  const name = textIn(metadata, 'name');
  return (
    <Page title={title || name || documentId} actions={<ToGraph documentId={id} name={name || title || documentId} />}>
      <p className="muted">
        {[...new Set([name, textIn(metadata, 'library') || textIn(metadata, 'path')])].filter(Boolean).join(' · ')}
      </p>
      <Parts document={opened.data} />
    </Page>
  );
}

function ToGraph({ documentId, name }: { documentId: string; name: string }) {
  const query = new URLSearchParams({ document: documentId, name });
  return (
    <Link className="action-link" to={`/graphs/new?${query.toString()}`}>
      {texts.graphs.fresh}
    </Link>
  );
}

/** A document and its first chunks; `openId` is the requested id, and `record` the requested record or the first chunk. */
interface Opened {
  id: string;
  openId: string;
  record: DocumentReply;
  chunks: readonly DocumentReply[];
  total: number;
}

/**
 * Opens a document by its own id or by that of a record. The chunks are requested first, because the reply to the id of a document
 * contains all of its text.
 */
async function openDocument(openId: string): Promise<Opened> {
  const own = await findChunks(openId);
  const [first] = own.documents;
  if (first) return { id: openId, openId, record: first, chunks: own.documents, total: own.total };
  const record = await api.documents.get(openId);
  const id = textIn(record.metadata, 'document_id') || openId;
  const { documents, total } = await findChunks(id);
  const isAmong = documents.some((chunk) => chunk.id === record.id);
  return { id, openId, record, chunks: inOrder(isAmong ? documents : [...documents, record]), total: total || 1 };
}

async function findChunks(documentId: string) {
  const request = { filters: { document_id: documentId }, limit: mostChunks, provenance: true };
  const { documents, total } = await api.documents.search(request);
  return { documents: inOrder(documents), total };
}

function inOrder(chunks: readonly DocumentReply[]): DocumentReply[] {
  return chunks.toSorted((chunk, other) => indexOf(chunk) - indexOf(other));
}

function Parts({ document: { id, openId, chunks, total } }: { document: Opened }) {
  const { query } = usePlace();
  const tab = tabs.find((one) => one === query.get('tab')) ?? 'pages';
  return (
    <Tabs value={tab} keepMounted={false} onChange={(value) => setQuery({ tab: value ?? undefined })}>
      <Tabs.List>
        {tabs.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {texts.document.tabs[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="pages" pt={16}>
        <Pages documentId={id} chunks={chunks} openId={openId} />
      </Tabs.Panel>
      <Tabs.Panel value="chunks" pt={16}>
        <Chunks chunks={chunks} openId={openId} total={total} />
      </Tabs.Panel>
      <Tabs.Panel value="life" pt={16}>
        <DocumentLife documentId={id} />
      </Tabs.Panel>
      <Tabs.Panel value="access" pt={16}>
        <DocumentAccess documentId={id} />
      </Tabs.Panel>
      <Tabs.Panel value="json" pt={16}>
        <Panel title={texts.document.json}>
          <pre className="text" tabIndex={0} aria-label={texts.document.json}>
            {JSON.stringify(chunks, null, 2)}
          </pre>
        </Panel>
      </Tabs.Panel>
    </Tabs>
  );
}

function Chunks({ chunks, openId, total }: { chunks: readonly DocumentReply[]; openId: string; total: number }) {
  return (
    <Panel title={texts.document.tabs.chunks}>
      {total > chunks.length ? <Empty>{texts.document.firstChunks(chunks.length, formatCount(total))}</Empty> : null}
      {chunks.map((chunk) => (
        <article key={chunk.id} className="hit" aria-current={chunk.id === openId ? 'true' : undefined}>
          <h3>{texts.document.chunk(indexOf(chunk) + 1)}</h3>
          <p className="state-note">{placeOf(chunk)}</p>
          <pre className="text" tabIndex={0} aria-label={texts.document.chunk(indexOf(chunk) + 1)}>
            {chunk.content}
          </pre>
        </article>
      ))}
    </Panel>
  );
}

function placeOf({ metadata, provenance }: DocumentReply): string {
  const headings = Array.isArray(metadata['headings']) ? metadata['headings'].map(String) : [];
  const pages = provenance?.pages ?? [];
  const at = pages.length > 0 ? [texts.document.pages(pages)] : [];
  return [...headings, ...at].join(' › ');
}

function indexOf({ metadata }: DocumentReply): number {
  const index = Number(metadata['chunk_index']);
  return Number.isFinite(index) ? index : 0;
}

function textIn(metadata: Record<string, unknown>, name: string): string {
  const value = metadata[name];
  return typeof value === 'string' ? value : '';
}
