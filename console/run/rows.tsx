import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { StepRowPage } from '../../client';
import { api, ApiError } from '../api';
import { formatClock, formatCount } from '../format';
import { Empty, Failure, Loading, Panel } from '../parts/page';
import { RowBlock } from '../parts/row-block';
import { setQuery, usePlace } from '../router';
import { texts } from '../texts';
import type { PlannedOperator } from './plan';

const limit = 10;
/** Longer lists of numbers are vectors, of which the first few numbers are shown. */
const maxNumbers = 16;
const shownNumbers = 4;

/** The rows written by a step, next to its input rows. Nothing is loaded before a step is selected. */
export function RunRows({ runId, operators }: { runId: string; operators: readonly PlannedOperator[] }) {
  const { query } = usePlace();
  const step = query.get('step') ?? '';
  const showsInputs = query.has('before');
  const showsVectors = query.has('vectors');
  // A step with branches writes one table per branch.
  const names = [...new Set(operators.flatMap(({ name, inputs }) => [...inputs, name]))];
  const inputs = operators.find(({ name }) => name === step)?.inputs ?? [];
  const shownSteps = step === '' ? [] : [...(showsInputs ? inputs : []), step];
  return (
    <Panel title={texts.rows.title}>
      <p className="muted">{texts.rows.help}</p>
      <div className="filters level">
        <NativeSelect
          label={texts.rows.step}
          value={step}
          data={[{ value: '', label: texts.rows.choose }, ...names]}
          onChange={({ currentTarget: { value } }) => setQuery({ step: value })}
        />
        {inputs.length > 0 ? (
          <Checkbox
            label={texts.rows.before}
            checked={showsInputs}
            onChange={({ currentTarget: { checked } }) => setQuery({ before: checked ? '1' : undefined })}
          />
        ) : null}
        {step === '' ? null : (
          <Checkbox
            label={texts.rows.vectors}
            checked={showsVectors}
            onChange={({ currentTarget: { checked } }) => setQuery({ vectors: checked ? '1' : undefined })}
          />
        )}
      </div>
      {shownSteps.length > 0 ? (
        <div className="columns">
          {shownSteps.map((operator) => (
            <StepRows key={operator} runId={runId} operator={operator} showsVectors={showsVectors} />
          ))}
        </div>
      ) : null}
    </Panel>
  );
}

function StepRows({ runId, operator, showsVectors }: { runId: string; operator: string; showsVectors: boolean }) {
  // A page may contain fewer rows than requested, so the start positions of the previous pages are kept.
  const [starts, setStarts] = useState<readonly number[]>([0]);
  const offset = starts.at(-1) ?? 0;
  const rows = useQuery({
    queryKey: ['run', runId, 'rows', operator, showsVectors, offset],
    queryFn: () => api.jobRuns.rows(runId, operator, { limit, offset, include_vectors: showsVectors }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isGone = rows.error instanceof ApiError && rows.error.code === 'TABLE_NOT_FOUND';
  return (
    <section aria-label={texts.rows.of(operator)}>
      <h3>{texts.rows.of(operator)}</h3>
      {rows.isPending ? <Loading /> : null}
      {isGone ? <Empty>{texts.rows.gone}</Empty> : null}
      {rows.isError && !isGone ? <Failure error={rows.error} onRetry={() => void rows.refetch()} /> : null}
      {rows.data ? (
        <>
          {rows.data.rows.length === 0 ? <Empty>{texts.rows.none}</Empty> : null}
          {rows.data.rows.map((row, index) => (
            <RowBlock
              key={`${rows.data.offset + index}`}
              title={findTitle(row, rows.data.offset + index + 1)}
              row={shortenVectors(row)}
            />
          ))}
          <RowPager
            page={rows.data}
            updatedAt={rows.dataUpdatedAt}
            onBack={starts.length > 1 ? () => setStarts(starts.slice(0, -1)) : undefined}
            onNext={(next) => setStarts([...starts, next])}
          />
          <p className="actions">
            <a href={buildExportAddress(runId, operator)} download>
              {texts.rows.download}
            </a>
          </p>
        </>
      ) : null}
    </section>
  );
}

function RowPager({
  page,
  updatedAt,
  onBack,
  onNext,
}: {
  page: StepRowPage;
  updatedAt: number;
  onBack: (() => void) | undefined;
  onNext: (offset: number) => void;
}) {
  const next = page.offset + page.rows.length;
  return (
    <div className="pager">
      <span className="muted" role="status">
        {page.rows.length > 0 ? `${texts.rows.range(formatCount(page.offset + 1), formatCount(next))} · ` : null}
        {texts.common.updated(formatClock(updatedAt))}
      </span>
      {onBack || page.has_more ? (
        <span className="actions">
          <Button size="xs" variant="default" disabled={!onBack} onClick={onBack}>
            {texts.common.previous}
          </Button>
          <Button size="xs" variant="default" disabled={!page.has_more} onClick={() => onNext(next)}>
            {texts.common.next}
          </Button>
        </span>
      ) : null}
    </div>
  );
}

function findTitle(row: Record<string, unknown>, position: number): string {
  const name = [row['name'], row['title'], row['id']].find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? name : formatCount(position);
}

function shortenVectors(row: Record<string, unknown>): Record<string, unknown> {
  const isVector = (value: unknown): value is number[] =>
    Array.isArray(value) && value.length > maxNumbers && value.every((value) => typeof value === 'number');
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      isVector(value) ? texts.rows.numbers(formatCount(value.length), value.slice(0, shownNumbers).join(', ')) : value,
    ]),
  );
}

function buildExportAddress(runId: string, operator: string): string {
  return `/api/v1/job_runs/${runId}/rows/export?${new URLSearchParams({ operator }).toString()}`;
}
