import type { ErrorCode } from '../../model/errors';
import type { DestinationRight } from '../../model/export/destination';
import type { DestinationRightReply } from '../../model/export/wire-check';

/** The answer for one right that an export needs. */
export interface CheckedDestinationRight extends DestinationRightReply {
  code?: ErrorCode;
}

/** An answer without its right. */
export type Answer = Omit<CheckedDestinationRight, 'right' | 'needs'>;
/** Rights without an answer were not tried. */
export type Answers = Partial<Record<DestinationRight, Answer>>;

export function reportGranted(message: string): Answer {
  return { outcome: 'granted', message };
}

export function reportUnknown(message: string): Answer {
  return { outcome: 'unknown', message };
}

export function reportDenied(code: ErrorCode, message: string): Answer {
  return { outcome: 'denied', code, message };
}
