import { defineSignal, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { errorCatalogue, type ErrorCode } from '../model/errors';
import type { Waiting } from '../model/run/run';
import { runMessages, type WaitReport } from '../model/run/run-messages';

/** The servers that the activities of a workflow are waiting for. */
export interface Waits {
  waiting?: Waiting[];
}

const waitSignal = defineSignal<[WaitReport]>(runMessages.wait);

/** Takes the signals of activities that begin or end to wait for a server, and shows them in `WaitingFor`. */
export function takeWaits(waits: Waits, onChange: () => void): void {
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

/** Markdown lines, one per code that is waited for, with the earliest start. Empty when nothing is waited for. */
export function describeWaits({ waiting = [] }: Waits): string[] {
  const lines = [...new Set(waiting.map(({ code }) => code))].sort().map((code) => {
    const same = waiting.filter((item) => item.code === code);
    const names = [...new Set(same.map(({ operator }) => operator))].sort().join(', ');
    const since = same.map((item) => item.since).sort()[0] ?? '';
    const text = code in errorCatalogue ? ` ${errorCatalogue[code as ErrorCode].text}` : '';
    return `- ${names}: ${code}, since ${since.slice(0, 19).replace('T', ' ')} UTC.${text}`;
  });
  return lines.length > 0 ? ['**Waiting for servers that are unreachable**:', '', ...lines, ''] : [];
}

function setWaiting(waits: Waits, waiting: Waiting[]): void {
  const before = listCodes(waits.waiting);
  waits.waiting = waiting.length > 0 ? waiting : undefined;
  const codes = listCodes(waits.waiting);
  // A single value: the attribute is a keyword, and with two values Temporal would reject the whole workflow task.
  if (codes.join() !== before.join())
    upsertSearchAttributes({ WaitingFor: codes.length > 0 ? [codes.join(', ')] : [] });
}

function listCodes(waiting: Waits['waiting']): string[] {
  return [...new Set((waiting ?? []).map(({ code }) => code))].sort();
}
