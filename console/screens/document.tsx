import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DocumentReply } from '../../client';
import { api } from '../api';
import { formatCount, formatTime } from '../format';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';

const mostChunks = 100;

/** One document as the index knows it: what it says, where that stands, where it comes from, and why one may read it. */
export function DocumentScreen({ documentId }: { documentId: string }) {
  const hit = useQuery({ queryKey: ['document', documentId], queryFn: () => api.documents.get(documentId) });
  const own = textIn(hit.data?.metadata ?? {}, 'document_id');
  const parts = useQuery({
    queryKey: ['document', documentId, 'chunks'],
    enabled: own !== '',
    queryFn: () =>
      api.documents.search({ filters: { 'metadata.document_id': own }, limit: mostChunks, provenance: true }),
  });
  if (hit.isPending) return <Loading />;
  if (!hit.data)
    return (
      <Page title={texts.document.title}>
        <Failure error={hit.error} onRetry={() => void hit.refetch()} />
        <Link to="/search">{texts.search.title}</Link>
      </Page>
    );
  const { title, metadata } = hit.data;
  const name = textIn(metadata, 'name');
  const chunks = (parts.data?.documents ?? [hit.data]).toSorted((one, other) => indexOf(one) - indexOf(other));
  return (
    <Page title={title || name || documentId}>
      <Facts document={hit.data} />
      <Tabs defaultValue="chunks" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="chunks">{texts.document.chunks}</Tabs.Tab>
          <Tabs.Tab value="pages">{texts.document.pages}</Tabs.Tab>
          <Tabs.Tab value="markdown">{texts.document.markdown}</Tabs.Tab>
          <Tabs.Tab value="json">{texts.document.json}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="chunks" pt={16}>
          <Chunks chunks={chunks} openId={documentId} />
        </Tabs.Panel>
        <Tabs.Panel value="pages" pt={16}>
          <Boxes chunks={chunks} openId={documentId} />
        </Tabs.Panel>
        <Tabs.Panel value="markdown" pt={16}>
          <Text label={texts.document.markdown} text={chunks.map(({ content }) => content).join('\n\n')} />
        </Tabs.Panel>
        <Tabs.Panel value="json" pt={16}>
          <Text label={texts.document.json} text={JSON.stringify(chunks, null, 2)} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Facts({ document: { metadata, created_at, updated_at } }: { document: DocumentReply }) {
  const facts = [
    [texts.failed.name, textIn(metadata, 'name')],
    [texts.document.path, textIn(metadata, 'path')],
    [texts.document.source, textIn(metadata, 'source')],
    [texts.document.seen, formatTime(created_at)],
    [texts.document.indexed, formatTime(updated_at)],
  ].filter(([, value]) => value !== '');
  return (
    <div className="columns">
      <Panel title={texts.document.life}>
        <dl className="facts">
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="small">{value}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      <Panel title={texts.document.access}>
        <p>{texts.document.you}</p>
        <p className="state-note">{texts.document.rule}</p>
      </Panel>
    </div>
  );
}

function Chunks({ chunks, openId }: { chunks: readonly DocumentReply[]; openId: string }) {
  return (
    <Panel title={texts.document.chunks}>
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

/** Where the chunks stand on their pages. The index keeps boxes, not sizes of pages, so a page is as large as its boxes need. */
function Boxes({ chunks, openId }: { chunks: readonly DocumentReply[]; openId: string }) {
  const [on, setOn] = useState(openId);
  const boxes = chunks.flatMap(({ id, content, provenance }) =>
    (provenance?.boxes ?? []).map(({ page, bbox: [left = 0, top = 0, right = 0, bottom = 0] }) => ({
      ...{ id, page, left, top, right, bottom },
      key: [id, page, left, top, right, bottom].join(' '),
      text: content.slice(0, 120),
    })),
  );
  const pages = [...new Set(boxes.map(({ page }) => page))].toSorted((one, other) => one - other);
  if (pages.length === 0)
    return (
      <Panel title={texts.document.pages}>
        <Empty>{texts.document.noBoxes}</Empty>
      </Panel>
    );
  const width = Math.max(612, ...boxes.map(({ right }) => right + 36));
  const height = Math.max(792, ...boxes.map(({ bottom }) => bottom + 36));
  return (
    <div className="columns">
      {pages.map((page) => (
        <Panel key={page} title={texts.document.ofPage(page)}>
          <div className="page-view" style={{ aspectRatio: `${width} / ${height}` }}>
            <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={texts.document.ofPage(page)}>
              {boxes
                .filter((box) => box.page === page)
                .map(({ id, key, text, left, top, right, bottom }) => (
                  <rect
                    key={key}
                    data-on={id === on}
                    x={left}
                    y={top}
                    width={Math.max(1, right - left)}
                    height={Math.max(1, bottom - top)}
                    onMouseEnter={() => setOn(id)}
                  >
                    <title>{text}</title>
                  </rect>
                ))}
            </svg>
          </div>
        </Panel>
      ))}
    </div>
  );
}

function Text({ label, text }: { label: string; text: string }) {
  return (
    <Panel title={label}>
      <pre className="text" tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </Panel>
  );
}

function placeOf({ metadata, provenance }: DocumentReply): string {
  const headings = Array.isArray(metadata['headings']) ? metadata['headings'].map(String) : [];
  const pages = provenance?.pages ?? [];
  const at = pages.length > 0 ? [texts.document.page(pages.map(formatCount).join(', '))] : [];
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
