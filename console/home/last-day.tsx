import { useQuery } from '@tanstack/react-query';
import type { Overview, StorageReport } from '../../client';
import { api } from '../api';
import { formatBytes, formatClock, formatCost, formatCount, formatMoment } from '../format';
import { FactList, Panel } from '../parts/page';
import { useSession } from '../session';
import { texts } from '../texts';

/** Throughput, use of models and storage. Storage is for administrators. */
export function LastDay({ overview: { day, models }, updatedAt }: { overview: Overview; updatedAt: number }) {
  const { user } = useSession();
  const storage = useQuery({
    queryKey: ['storage'],
    // The member is absent for other users, and an absent `enabled` would mean true.
    enabled: user.is_administrator === true,
    queryFn: () => api.storage(),
    staleTime: 60_000,
  });
  const formatCounted = (count: number) =>
    day.is_complete ? formatCount(count) : texts.home.atLeast(formatCount(count));
  const facts: [string, string][] = [
    [texts.home.dayRuns, formatCounted(day.runs)],
    [texts.home.dayDocuments, formatCounted(day.documents_completed)],
    [texts.home.dayFailed, formatCounted(day.documents_failed)],
    [texts.home.dayPages, formatCounted(day.pages)],
    [texts.home.modelRequests, formatCounted(models.requests)],
    [texts.home.modelTokens, formatCounted(models.input_tokens + models.output_tokens)],
    [texts.home.modelCost, formatCost(models.cost)],
    ...(storage.data ? [[texts.home.storage, formatBytes(sumStorage(storage.data))] as [string, string]] : []),
  ];
  return (
    <Panel title={texts.home.day}>
      <FactList facts={facts} />
      {day.documents_completed > 0 ? <Hours hours={day.hours} /> : null}
      <p className="state-note">{texts.common.updated(formatClock(updatedAt))}</p>
    </Panel>
  );
}

const bar = { width: 22, gap: 4, height: 72 };

/** A bar for each hour; screen readers get a list. */
function Hours({ hours }: { hours: Overview['day']['hours'] }) {
  const maxCompleted = Math.max(1, ...hours.map(({ documents_completed: count }) => count));
  const width = hours.length * (bar.width + bar.gap);
  return (
    <figure className="hours">
      <figcaption className="muted">{texts.home.perHour}</figcaption>
      <svg viewBox={`0 0 ${width} ${bar.height}`} preserveAspectRatio="none" aria-hidden="true">
        {hours.map(({ from, documents_completed: count }, index) => {
          const height = count === 0 ? 1 : Math.max(3, (count / maxCompleted) * bar.height);
          return (
            <rect
              key={from}
              x={index * (bar.width + bar.gap)}
              y={bar.height - height}
              width={bar.width}
              height={height}
              data-empty={count === 0}
            >
              <title>{texts.home.hour(formatMoment(from), count)}</title>
            </rect>
          );
        })}
      </svg>
      <p className="state-note ends" aria-hidden="true">
        <span>{texts.home.dayAgo}</span>
        <span>{texts.home.now}</span>
      </p>
      <ul className="visually-hidden">
        {hours
          .filter(({ documents_completed: count }) => count > 0)
          .map(({ from, documents_completed: count }) => (
            <li key={from}>{texts.home.hour(formatMoment(from), count)}</li>
          ))}
      </ul>
    </figure>
  );
}

function sumStorage({ database_bytes: database, files, indexes }: StorageReport): number {
  const sum = (list: readonly { bytes: number }[]) => list.reduce((total, { bytes }) => total + bytes, 0);
  return (database ?? 0) + sum(files) + sum(indexes ?? []);
}
