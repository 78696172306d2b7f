import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { isDiskFull } from '../../model/errors';
import { maskSecrets, maskText } from '../../model/flow/secrets';
import { findCurrentTrace } from '../tracing/trace-context';

/** Writes one JSON line per event to standard error. The member `trace` links the lines of a request. */
export type Log = Logger;

const levels: Record<string, string> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
};

/** Creates a logger for DS_LOG_LEVEL. Masks secrets in members with secret names, in texts and in errors. */
export function createLog(
  level: string,
  base: Record<string, unknown>,
  destination: DestinationStream = openLogFile(2),
): Log {
  return pino(buildOptions(level, base), destination);
}

/** On a full disk, lines wait in memory for the next one that can be written; without this, the process would end. */
export function openLogFile(descriptor: number) {
  const file = pino.destination(descriptor);
  file.on('error', (error: Error) => {
    // pino itself ends its output when the reader of a pipe is gone.
    const isPipeClosed = (error as NodeJS.ErrnoException).code === 'EPIPE';
    if (!isPipeClosed && !isDiskFull(error)) throw error;
  });
  return file;
}

function buildOptions(level: string, base: Record<string, unknown>): LoggerOptions {
  const serialize = (error: Error) => {
    const { message, ...members } = pino.stdSerializers.err(error);
    // pino appends the messages of the causes, which would follow the full stop of ours.
    return maskSecrets({ ...members, message: message.replaceAll('.: ', ': ') });
  };
  return {
    level: levels[level] ?? 'info',
    base,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: buildTraceMembers,
    formatters: { level: (label) => ({ level: label }), log: maskMembers },
    serializers: { err: serialize, error: (value: unknown) => (value instanceof Error ? serialize(value) : value) },
    hooks: {
      logMethod(input, method) {
        const masked = input.map((part: unknown) => (typeof part === 'string' ? maskText(part) : part));
        method.apply(this, masked as Parameters<typeof method>);
      },
    },
  };
}

/** These link the line to the spans of a trace, and to its lines in other processes. */
function buildTraceMembers(): Record<string, string> {
  const trace = findCurrentTrace();
  return trace ? { trace_id: trace.traceId, span_id: trace.spanId } : {};
}

/** Errors are left unchanged for the serializers. */
function maskMembers(members: Record<string, unknown>): Record<string, unknown> {
  const errors = Object.entries(members).filter(([, value]) => value instanceof Error);
  const others = Object.entries(members).filter(([, value]) => !(value instanceof Error));
  return { ...maskSecrets(Object.fromEntries(others)), ...Object.fromEntries(errors) };
}
