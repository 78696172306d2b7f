import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DocumentReply } from '../../client';
import { api } from '../api';
import { Failure, Loading, Page } from '../parts/page';
import { readText } from '../parts/read-text';
import { Link, setQuery, usePlace } from '../router';
import { texts } from '../texts';
import { DocumentAccess } from './access';
import { Chunks, getChunkIndex } from './chunks';
import { DocumentFactList } from './facts';
import { DocumentGraphs } from './graphs';
import { DocumentLife } from './life';
import { Pages } from './pages';
import { Structure } from './structure';
import { WholeHtml, WholeText } from './whole';

const maxChunks = 100;
const tabs = ['pages', 'structure', 'markdown', 'html', 'json', 'chunks', 'facts', 'graph', 'life', 'access'] as const;

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
  const name = readText(metadata, 'name');
  return (
    <Page
      title={title || name || documentId}
      actions={<GraphLink documentId={id} name={name || title || documentId} />}
    >
      <p className="muted">
        {[...new Set([name, readText(metadata, 'library') || readText(metadata, 'path')])].filter(Boolean).join(' · ')}
      </p>
      <Parts document={opened.data} name={name || title || documentId} />
    </Page>
  );
}

function GraphLink({ documentId, name }: { documentId: string; name: string }) {
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
  const chunks = await findChunks(openId);
  const [first] = chunks.documents;
  if (first) return { id: openId, openId, record: first, chunks: chunks.documents, total: chunks.total };
  const record = await api.documents.get(openId);
  const id = readText(record.metadata, 'document_id') || openId;
  const { documents, total } = await findChunks(id);
  const isIncluded = documents.some((chunk) => chunk.id === record.id);
  return { id, openId, record, chunks: sortChunks(isIncluded ? documents : [...documents, record]), total: total || 1 };
}

async function findChunks(documentId: string) {
  const request = { filters: { document_id: documentId }, limit: maxChunks, provenance: true };
  const { documents, total } = await api.documents.search(request);
  return { documents: sortChunks(documents), total };
}

function sortChunks(chunks: readonly DocumentReply[]): DocumentReply[] {
  return chunks.toSorted((chunk, other) => getChunkIndex(chunk) - getChunkIndex(other));
}

function Parts({ document: { id, openId, chunks, total }, name }: { document: Opened; name: string }) {
  const { query } = usePlace();
  const tab = tabs.find((tab) => tab === query.get('tab')) ?? 'pages';
  return (
    <Tabs value={tab} keepMounted={false} onChange={(value) => setQuery({ tab: value ?? undefined, item: undefined })}>
      <Tabs.List>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {texts.document.tabs[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="pages" pt={16}>
        <Pages documentId={id} chunks={chunks} openId={openId} />
      </Tabs.Panel>
      <Tabs.Panel value="structure" pt={16}>
        <Structure documentId={id} />
      </Tabs.Panel>
      <Tabs.Panel value="markdown" pt={16}>
        <WholeText documentId={id} form="markdown" />
      </Tabs.Panel>
      <Tabs.Panel value="html" pt={16}>
        <WholeHtml documentId={id} />
      </Tabs.Panel>
      <Tabs.Panel value="json" pt={16}>
        <WholeText documentId={id} form="json" />
      </Tabs.Panel>
      <Tabs.Panel value="chunks" pt={16}>
        <Chunks chunks={chunks} openId={openId} total={total} />
      </Tabs.Panel>
      <Tabs.Panel value="facts" pt={16}>
        <DocumentFactList documentId={id} metadata={chunks[0]?.metadata ?? {}} />
      </Tabs.Panel>
      <Tabs.Panel value="graph" pt={16}>
        <DocumentGraphs documentId={id} name={name} />
      </Tabs.Panel>
      <Tabs.Panel value="life" pt={16}>
        <DocumentLife documentId={id} />
      </Tabs.Panel>
      <Tabs.Panel value="access" pt={16}>
        <DocumentAccess documentId={id} />
      </Tabs.Panel>
    </Tabs>
  );
}
