import { useEffect, useState } from 'react';
import type { RunEvent } from '../client';

/** The state of the event stream of a run. `lost` means that it will be reopened. */
export type Connection = 'connecting' | 'live' | 'lost' | 'ended';

const firstPauseMs = 500;
const longestPauseMs = 5_000;

/**
 * The events of a run while it is active. The browser reopens a broken stream itself; if it gave up because the server refused
 * or was unavailable, this opens a new one. Every event contains the whole state, so nothing is missed.
 */
export function useLiveRun(
  runId: string,
  isActive: boolean,
  onEnd: () => void,
): { event?: RunEvent; connection: Connection } {
  const [event, setEvent] = useState<RunEvent>();
  const [connection, setConnection] = useState<Connection>('connecting');
  useEffect(() => {
    if (!isActive) return undefined;
    let source: EventSource | undefined;
    let timer: number | undefined;
    let pauseMs = firstPauseMs;
    const open = () => {
      source = new EventSource(`/api/v1/job_runs/${encodeURIComponent(runId)}/events`);
      source.addEventListener('open', () => {
        pauseMs = firstPauseMs;
        setConnection('live');
      });
      source.addEventListener('progress', ({ data }: MessageEvent<string>) => setEvent(JSON.parse(data) as RunEvent));
      source.addEventListener('end', ({ data }: MessageEvent<string>) => {
        setEvent(JSON.parse(data) as RunEvent);
        setConnection('ended');
        source?.close();
        onEnd();
      });
      source.addEventListener('error', () => {
        setConnection((before) => (before === 'ended' ? before : 'lost'));
        if (source?.readyState !== EventSource.CLOSED) return;
        timer = window.setTimeout(open, pauseMs);
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      });
    };
    open();
    return () => {
      window.clearTimeout(timer);
      source?.close();
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- onEnd is created in each rendering, but always does the same.
  }, [runId, isActive]);
  return { event, connection: isActive ? connection : 'ended' };
}
