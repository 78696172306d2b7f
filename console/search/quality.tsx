import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { JudgedQuery, SearchMeasurement } from '../../client';
import { api } from '../api';
import { formatClock, formatCount, formatTime } from '../format';
import { ConfirmButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Failure, Page, Panel, QueryState } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';
import { useJudgedQueries } from './marks';
import { modes } from './request';

/** How well each ranking answers the searches that the user marked, over time. */
export function QualityScreen() {
  const queries = useQueryClient();
  const judged = useJudgedQueries();
  const measured = useQuery({
    queryKey: ['search-measurements'],
    queryFn: () => api.judgedQueries.measurements(),
  });
  const measure = useMutation({
    mutationFn: () => api.judgedQueries.measure(),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['search-measurements'] }),
  });
  const canMeasure = judged.data?.items.some(({ relevant }) => relevant.length > 0) ?? false;
  return (
    <Page
      title={texts.quality.title}
      actions={
        <Button disabled={!canMeasure} loading={measure.isPending} onClick={() => measure.mutate()}>
          {texts.quality.measure}
        </Button>
      }
    >
      <p className="muted">
        {texts.quality.help} <Link to="/search">{texts.quality.toSearch}</Link>
      </p>
      {measure.isError ? <Failure error={measure.error} isAction /> : null}
      <Panel title={texts.quality.figures}>
        <QueryState query={measured} />
        {measured.data ? <Figures measurements={measured.data.measurements} /> : null}
      </Panel>
      <Panel title={texts.quality.queries}>
        <QueryState query={judged} />
        {judged.data ? <Queries judgedQueries={judged.data.items} /> : null}
        {judged.data ? <p className="state-note">{texts.common.updated(formatClock(judged.dataUpdatedAt))}</p> : null}
      </Panel>
    </Page>
  );
}

const figureColumns: readonly Column<SearchMeasurement>[] = [
  { title: texts.quality.when, kind: 'when', cell: ({ measured_at: at }) => formatTime(at) },
  { title: texts.quality.count, kind: 'num', cell: ({ queries }) => formatCount(queries) },
  ...modes.map((mode): Column<SearchMeasurement> => ({
    title: texts.search[mode],
    kind: 'num',
    cell: ({ ndcg }) => ndcg[mode]?.toFixed(3) ?? texts.quality.impossible,
  })),
];

function Figures({ measurements }: { measurements: readonly SearchMeasurement[] }) {
  if (measurements.length === 0) return <Empty>{texts.quality.none}</Empty>;
  return (
    <>
      {measurements.length > 1 ? <Chart measurements={measurements} /> : null}
      <ListTable
        label={texts.quality.figures}
        columns={figureColumns}
        rows={measurements.toReversed()}
        keyOf={({ measured_at: at }) => at}
      />
    </>
  );
}

const size = { width: 640, height: 140, margin: 24 };

/** A line for each ranking, with equal distances between measurements. */
function Chart({ measurements }: { measurements: readonly SearchMeasurement[] }) {
  const step = (size.width - 2 * size.margin) / (measurements.length - 1);
  const toY = (figure: number) => size.height - size.margin - figure * (size.height - 2 * size.margin);
  return (
    <>
      <svg className="chart" viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
        {[0, 0.5, 1].map((figure) => (
          <g key={figure}>
            <line x1={size.margin} x2={size.width - size.margin} y1={toY(figure)} y2={toY(figure)} />
            <text x={0} y={toY(figure) + 4}>
              {figure}
            </text>
          </g>
        ))}
        {modes.map((mode, index) => (
          <polyline
            key={mode}
            data-type={index}
            points={measurements
              .flatMap(({ ndcg }, position) => {
                const figure = ndcg[mode];
                return figure === null ? [] : [`${size.margin + position * step},${toY(figure)}`];
              })
              .join(' ')}
          />
        ))}
      </svg>
      <ul className="legend" aria-label={texts.quality.chart}>
        {modes.map((mode, index) => (
          <li key={mode} className="typed-line" data-type={index}>
            {texts.search[mode]}
          </li>
        ))}
      </ul>
    </>
  );
}

function Queries({ judgedQueries }: { judgedQueries: readonly JudgedQuery[] }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) => api.judgedQueries.remove(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['judged-queries'] }),
  });
  if (judgedQueries.length === 0) return <Empty>{texts.quality.noQueries}</Empty>;
  const columns: Column<JudgedQuery>[] = [
    {
      title: texts.quality.query,
      kind: 'name',
      cell: ({ query }) => (
        <Link to={`/search?${new URLSearchParams({ q: query, mode: 'compare' }).toString()}`}>{query}</Link>
      ),
    },
    { title: texts.quality.relevant, kind: 'num', cell: ({ relevant }) => formatCount(relevant.length) },
    { title: texts.quality.notRelevant, kind: 'num', cell: ({ not_relevant: not }) => formatCount(not.length) },
    { title: texts.quality.changed, kind: 'when', cell: ({ updated_at: at }) => formatTime(at) },
    {
      title: texts.common.actions,
      kind: 'acts',
      cell: ({ query_id: id, query }) => (
        <ConfirmButton
          size="xs"
          label={texts.quality.remove}
          about={texts.quality.removeOne(query)}
          question={texts.quality.sure}
          isPending={remove.isPending}
          onConfirm={() => remove.mutate(id)}
        />
      ),
    },
  ];
  return (
    <>
      {remove.isError ? <Failure error={remove.error} isAction /> : null}
      <ListTable
        label={texts.quality.queries}
        columns={columns}
        rows={judgedQueries}
        keyOf={({ query_id: id }) => id}
      />
    </>
  );
}
