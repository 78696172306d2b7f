import type { DocumentReply } from '../../client';
import { formatCount } from '../format';
import { Empty, Panel } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';

/** The chunks of a document as they are searched, each with a link to its place on the page. */
export function Chunks({ chunks, openId, total }: { chunks: readonly DocumentReply[]; openId: string; total: number }) {
  return (
    <Panel title={texts.document.tabs.chunks}>
      {total > chunks.length ? <Empty>{texts.document.firstChunks(chunks.length, formatCount(total))}</Empty> : null}
      {chunks.map((chunk) => (
        <article key={chunk.id} className="hit" aria-current={chunk.id === openId ? 'true' : undefined}>
          <h3>{texts.document.chunk(getChunkIndex(chunk) + 1)}</h3>
          <p className="state-note">
            {describePlace(chunk)}
            {chunk.provenance ? (
              <>
                {' · '}
                <Link to={`/documents/${encodeURIComponent(chunk.id)}`}>{texts.document.toPage}</Link>
              </>
            ) : null}
          </p>
          <pre className="text" tabIndex={0} aria-label={texts.document.chunk(getChunkIndex(chunk) + 1)}>
            {chunk.content}
          </pre>
        </article>
      ))}
      <details>
        <summary>{texts.document.records}</summary>
        <pre className="text" tabIndex={0} aria-label={texts.document.records}>
          {JSON.stringify(chunks, null, 2)}
        </pre>
      </details>
    </Panel>
  );
}

/** The position of a chunk in its document, from 0. */
export function getChunkIndex({ metadata }: Pick<DocumentReply, 'metadata'>): number {
  const index = Number(metadata['chunk_index']);
  return Number.isFinite(index) ? index : 0;
}

function describePlace({ metadata, provenance }: DocumentReply): string {
  const headings = Array.isArray(metadata['headings']) ? metadata['headings'].map(String) : [];
  const pages = provenance?.pages ?? [];
  const pageText = pages.length > 0 ? [texts.document.pages(pages)] : [];
  return [...headings, ...pageText].join(' › ');
}
