import { Button } from '@mantine/core';
import { formatClock } from '../format';
import { texts } from '../texts';

/** The displayed rows out of the total, the time of loading, and links to the neighbouring pages. */
export function Pager({
  offset,
  limit,
  total,
  updatedAt,
  onOffset,
}: {
  offset: number;
  limit: number;
  total: number;
  updatedAt: number;
  onOffset: (offset: number) => void;
}) {
  const last = Math.min(offset + limit, total);
  const range = total === 0 ? '' : `${texts.common.range(offset + 1, last, total)} · `;
  return (
    <div className="pager">
      <span className="muted" role="status">
        {range}
        {texts.common.updated(formatClock(updatedAt))}
      </span>
      {total > limit || offset > 0 ? (
        <span className="actions">
          <Button
            size="xs"
            variant="default"
            disabled={offset === 0}
            onClick={() => onOffset(Math.max(0, offset - limit))}
          >
            {texts.common.previous}
          </Button>
          <Button size="xs" variant="default" disabled={last >= total} onClick={() => onOffset(offset + limit)}>
            {texts.common.next}
          </Button>
        </span>
      ) : null}
    </div>
  );
}
