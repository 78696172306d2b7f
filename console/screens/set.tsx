import { useQuery } from '@tanstack/react-query';
import { api } from '../api';
import { formatCount } from '../format';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { Pager } from '../parts/pager';
import { setQuery, usePlace } from '../router';
import { texts } from '../texts';

const limit = 50;
const mostMembers = 60;
/** What says how a document was read and not what was found in it; the API shows these columns too. */
const hidden = new Set([
  ...[
    'id',
    'name',
    'path',
    'source',
    'size',
    'mimetype',
    'metadata',
    'modified_time',
    'content_hash',
    'source_version',
  ],
  ...['content', 'pages_processed', 'entity_evidence', 'transformed_entities', 'classification_confidence'],
]);

/** The rows of a document set, found by its name: what a flow made of the documents. */
export function SetScreen({ name }: { name: string }) {
  const { query } = usePlace();
  const offset = Math.max(0, Number(query.get('offset')) || 0);
  const found = useQuery({
    queryKey: ['set', name],
    queryFn: async () => {
      const { items } = await api.documentSets.list({ name, limit: 100 });
      return items.find((set) => set.name === name) ?? null;
    },
  });
  const id = found.data?.id ?? '';
  const rows = useQuery({
    queryKey: ['set', name, 'rows', id, offset],
    enabled: id !== '',
    queryFn: () => api.documentSets.preview(id, { limit, offset }),
  });
  if (found.isPending) return <Loading />;
  const columns = rows.data?.columns.filter((column) => !hidden.has(column)) ?? [];
  return (
    <Page title={texts.set.title(name)}>
      {found.isError ? <Failure error={found.error} /> : null}
      {found.data === null ? <Empty>{texts.set.missing}</Empty> : null}
      {rows.isError ? <Failure error={rows.error} /> : null}
      {rows.data ? (
        <Panel title={texts.set.rows}>
          {rows.data.data.map((row, index) => (
            <article className="hit" key={textIn(row, 'id') || index}>
              <h3>{textIn(row, 'name') || textIn(row, 'id') || formatCount(offset + index + 1)}</h3>
              <dl className="values">
                {columns
                  .filter((column) => !isEmpty(row[column]))
                  .map((column) => (
                    <div key={column}>
                      <dt>{column}</dt>
                      <dd>
                        <Value value={row[column]} depth={0} />
                      </dd>
                    </div>
                  ))}
              </dl>
            </article>
          ))}
          <Pager
            total={rows.data.total_rows}
            limit={limit}
            offset={offset}
            updatedAt={rows.dataUpdatedAt}
            onOffset={(next) => setQuery({ offset: next === 0 ? undefined : String(next) })}
          />
        </Panel>
      ) : null}
    </Page>
  );
}

/** A value as people read it: objects as pairs, lists of plain values in one line, no JSON. */
function Value({ value, depth }: { value: unknown; depth: number }) {
  if (typeof value !== 'object' || value === null) return <>{cut(String(value))}</>;
  if (depth > 3) return <>{cut(JSON.stringify(value))}</>;
  const isPlain = (one: unknown) => typeof one !== 'object' || one === null;
  if (Array.isArray(value) && value.every(isPlain)) return <>{cut(value.map(String).join(', '))}</>;
  const entries = Object.entries(value).filter(([, one]) => !isEmpty(one));
  return (
    <dl className="values nested">
      {entries.slice(0, mostMembers).map(([name, one]) => (
        <div key={name}>
          <dt>{Array.isArray(value) ? formatCount(Number(name) + 1) : name}</dt>
          <dd>
            <Value value={one} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)} …` : text;
}

function textIn(row: Record<string, unknown>, name: string): string {
  const value = row[name];
  return typeof value === 'string' ? value : '';
}
