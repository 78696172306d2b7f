import {
  CancellationScope,
  defineSignal,
  patched,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { errorCatalogue, type ErrorCode } from '../model/errors';
import type { Waiting } from '../model/run/run';
import { runMessages, type WaitReport } from '../model/run/run-messages';

/** The servers that the activities of a workflow are waiting for. */
export interface Waits {
  waiting?: Waiting[];
}

/** Of a wait without limit. */
const longestTimerMs = 30 * 24 * 60 * 60 * 1_000;
/** Temporal refuses summaries of more than 400 bytes. Encryption and the names of encodings take 137 of them. */
const maxSummaryLength = 260;
/** The timers that are shown for waits. */
const timers = new WeakMap<Waits, CancellationScope>();

const waitSignal = defineSignal<[WaitReport]>(runMessages.wait);

/**
 * Takes the signals of activities that begin or end to wait for a server, and shows them in `WaitingFor` and in the timeline. Also
 * shows waits of the execution that this one continues.
 */
export function takeWaits(waits: Waits, onChange: () => void): void {
  if (waits.waiting) showTimer(waits);
  setHandler(waitSignal, ({ operator, part, waiting }) => {
    const others = (waits.waiting ?? []).filter((item) => item.operator !== operator || item.part !== part);
    setWaiting(waits, waiting ? [...others, { operator, part, ...waiting }] : others);
    onChange();
  });
}

/** Forgets the waits of a finished part: a worker that died did not report their end. */
export function endWaits(waits: Waits, part: string): void {
  if (waits.waiting)
    setWaiting(
      waits,
      waits.waiting.filter((waiting) => waiting.part !== part && !waiting.part.startsWith(`${part}-`)),
    );
}

/** A workflow that has ended waits for nothing. */
export function endAllWaits(waits: Waits): void {
  if (waits.waiting) setWaiting(waits, []);
}

/** A line without markup; for many codes without their texts. Empty when nothing is waited for. */
export function summarizeWaits({ waiting = [] }: Waits): string {
  const join = (describe: (code: string) => string) =>
    listCodes(waiting)
      // Without seconds, so that the line fits beside its bar.
      .map((code) => [code, formatTime(findFirst(waiting, code), 'YYYY-MM-DD HH:mm'.length)] as const)
      .map(([code, since], at) => `${at === 0 ? 'W' : 'w'}aiting since ${since}${describe(code)} (${code})`)
      .join('; ');
  const line = join((code) => (code in errorCatalogue ? `: ${errorCatalogue[code as ErrorCode].text}` : ''));
  return (line.length <= maxSummaryLength ? line : join(() => '')).slice(0, maxSummaryLength);
}

/** Markdown lines, one per code that is waited for, with the earliest start. Empty when nothing is waited for. */
export function describeWaits({ waiting = [] }: Waits): string[] {
  const lines = [...new Set(waiting.map(({ code }) => code))].sort().map((code) => {
    const same = waiting.filter((item) => item.code === code);
    const names = [...new Set(same.map(({ operator }) => operator))].sort().join(', ');
    const since = findFirst(waiting, code);
    const text = code in errorCatalogue ? ` ${errorCatalogue[code as ErrorCode].text}` : '';
    return `- ${names}: ${code}, since ${formatTime(since)}.${text}`;
  });
  return lines.length > 0 ? ['**Waiting for servers that are unreachable**:', '', ...lines, ''] : [];
}

function setWaiting(waits: Waits, waiting: Waiting[]): void {
  const before = listCodes(waits.waiting);
  waits.waiting = waiting.length > 0 ? waiting : undefined;
  const codes = listCodes(waits.waiting);
  // A single value: the attribute is a keyword, and with two values Temporal would reject the whole workflow task.
  if (codes.join() === before.join()) return;
  upsertSearchAttributes({ WaitingFor: codes.length > 0 ? [codes.join(', ')] : [] });
  showTimer(waits);
}

/**
 * Shows the waits on the first page of the workflow in the Temporal UI, also while no worker answers: as a timer, which ends with them,
 * or about when the first activity gives up.
 */
function showTimer(waits: Waits): void {
  if (!patched('show-waits-as-timer')) return;
  timers.get(waits)?.cancel();
  const summary = summarizeWaits(waits);
  if (!summary) return;
  const scope = new CancellationScope({ cancellable: true });
  timers.set(waits, scope);
  const waitsMs = (waits.waiting ?? []).flatMap(({ since, until }) =>
    until ? [Date.parse(until) - Date.parse(since)] : [],
  );
  const timerMs = Math.max(1_000, Math.min(longestTimerMs, ...waitsMs));
  // It is cancelled when the waits change.
  void scope.run(() => sleep(timerMs, { summary })).catch(() => undefined);
}

function formatTime(time: string, length = 'YYYY-MM-DD HH:mm:ss'.length): string {
  return `${time.slice(0, length).replace('T', ' ')} UTC`;
}

/** When the first of these waits for the code began. */
function findFirst(waiting: readonly Waiting[], code: string): string {
  return (
    waiting
      .filter((item) => item.code === code)
      .map((item) => item.since)
      .sort()[0] ?? ''
  );
}

function listCodes(waiting: Waits['waiting']): string[] {
  return [...new Set((waiting ?? []).map(({ code }) => code))].sort();
}
