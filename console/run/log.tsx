import { Button, NativeSelect } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { RunLogEntry } from '../../client';
import { api } from '../api';
import { formatCount, formatClock, formatDuration, formatMoment } from '../format';
import { Empty, Panel } from '../parts/page';
import { Prose } from '../parts/prose';
import { texts } from '../texts';
import { describeBatch } from './plan';

const levels = ['info', 'warning', 'error'] as const;
type Level = (typeof levels)[number];
/** Maximum number of entries shown; further ones are counted. */
const maxShown = 500;
/** How long the log waits before it is read again. */
const pauseMs = 2_000;
/** Entries that arrive within this time are rendered together. */
const renderMs = 200;
const tones = { info: 'idle', warning: 'warn', error: 'failed' } as const;

interface Filter {
  level: Level;
  operator: string;
  document: { id: string; name: string } | undefined;
}

interface Followed {
  entries: readonly RunLogEntry[];
  count: number;
  state: 'following' | 'lost' | 'ended';
}

/** The log of a run, followed while it is active, filtered by level, operator and document. */
export function RunLog({
  isLarge,
  ...log
}: {
  runId: string;
  operators: readonly string[];
  /** True if the log is loaded only on request. */
  isLarge: boolean;
}) {
  const [isOpen, setOpen] = useState(!isLarge);
  return (
    <Panel title={texts.log.title}>
      {isOpen ? (
        <Entries {...log} />
      ) : (
        <Button variant="default" onClick={() => setOpen(true)}>
          {texts.log.open}
        </Button>
      )}
    </Panel>
  );
}

function Entries({ runId, operators }: { runId: string; operators: readonly string[] }) {
  const [filter, setFilter] = useState<Filter>({ level: 'info', operator: '', document: undefined });
  const { entries, count, state } = useLog(runId, filter);
  const isFiltered = filter.level !== 'info' || filter.operator !== '' || filter.document !== undefined;
  return (
    <>
      <div className="filters">
        <NativeSelect
          label={texts.log.level}
          value={filter.level}
          data={levels.map((value) => ({ value, label: texts.log.levels[value] }))}
          onChange={({ currentTarget: { value } }) =>
            setFilter({ ...filter, level: levels.find((level) => level === value) ?? 'info' })
          }
        />
        <NativeSelect
          label={texts.log.operator}
          value={filter.operator}
          data={[{ value: '', label: texts.log.anyOperator }, ...operators]}
          onChange={({ currentTarget: { value } }) => setFilter({ ...filter, operator: value })}
        />
        {filter.document ? (
          <button
            type="button"
            className="chip"
            aria-pressed
            onClick={() => setFilter({ ...filter, document: undefined })}
          >
            {texts.log.allDocuments(filter.document.name)}
          </button>
        ) : null}
      </div>
      {count === 0 && state === 'ended' ? (
        <Empty>{isFiltered ? texts.log.emptyFiltered : texts.log.empty}</Empty>
      ) : null}
      <ol className="log" tabIndex={0} aria-label={texts.log.title}>
        {entries.map((entry, index) => (
          <Entry
            key={`${entry.time} ${count - entries.length + index}`}
            entry={entry}
            isSameDay={getDay(entry) === getDay(entries[0])}
            onDocument={
              filter.document ? undefined : (document) => setFilter({ level: 'info', operator: '', document })
            }
          />
        ))}
      </ol>
      <p className="state-note" role="status">
        {count > entries.length ? texts.log.last(formatCount(entries.length), formatCount(count)) : null}{' '}
        {state === 'ended' && count > 0 && count === entries.length ? texts.log.ended(formatCount(count)) : null}
        {state === 'following' ? texts.log.following : null}
        {state === 'lost' ? texts.log.lost : null}
      </p>
    </>
  );
}

function Entry({
  entry: { time, level, message, operator, batch, document_id: id, document_name: name, code, seconds },
  isSameDay,
  onDocument,
}: {
  entry: RunLogEntry;
  /** True if the entry is from the same day as the first one, so that the time of day is enough. */
  isSameDay: boolean;
  onDocument: ((document: { id: string; name: string }) => void) | undefined;
}) {
  const facts = [
    [operator, batch && describeBatch(batch)].filter(Boolean).join(' · '),
    code ?? '',
    seconds === undefined ? '' : texts.log.took(formatDuration(seconds)),
  ];
  return (
    <li>
      <span className="state" data-tone={tones[level]}>
        {texts.log.names[level]}
      </span>
      <time className="muted" dateTime={time} title={formatMoment(time)}>
        {isSameDay ? formatClock(Date.parse(time)) : formatMoment(time)}
      </time>
      <span className="log-text">
        <Prose text={message} />
        <span className="state-note below">
          {facts.filter(Boolean).join(' · ')}
          {id && onDocument ? (
            <button type="button" className="link" onClick={() => onDocument({ id, name: name ?? id })}>
              {texts.log.onlyThis(name ?? id)}
            </button>
          ) : null}
        </span>
      </span>
    </li>
  );
}

function getDay(entry: RunLogEntry | undefined): string {
  return entry ? new Date(entry.time).toDateString() : '';
}

/** Follows the log. After a lost connection, it is read again from the beginning. */
function useLog(runId: string, { level, operator, document }: Filter): Followed {
  const [followed, setFollowed] = useState<Followed>({ entries: [], count: 0, state: 'following' });
  const documentId = document?.id;
  useEffect(() => {
    const abort = new AbortController();
    let timer: number | undefined;
    const follow = async () => {
      let entries: RunLogEntry[] = [];
      let count = 0;
      let isWaiting = false;
      const show = (state: Followed['state']) => setFollowed({ entries, count, state });
      const query = {
        level,
        ...(operator ? { operator } : {}),
        ...(documentId === undefined ? {} : { document_id: documentId }),
      };
      for await (const entry of api.jobRuns.followLog(runId, query, abort.signal)) {
        entries = [...entries, entry].slice(-maxShown);
        count += 1;
        if (isWaiting) continue;
        isWaiting = true;
        window.setTimeout(() => {
          isWaiting = false;
          if (!abort.signal.aborted) show('following');
        }, renderMs);
      }
      if (abort.signal.aborted) return;
      isWaiting = true;
      const run = await api.jobRuns.get(runId, abort.signal);
      if (run.ended_at === null) timer = window.setTimeout(start, pauseMs);
      else window.setTimeout(() => show('ended'), renderMs + 50);
    };
    const start = () => {
      follow().catch(() => {
        if (abort.signal.aborted) return;
        setFollowed((before) => ({ ...before, state: 'lost' }));
        timer = window.setTimeout(start, pauseMs);
      });
    };
    setFollowed({ entries: [], count: 0, state: 'following' });
    start();
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [runId, level, operator, documentId]);
  return followed;
}
