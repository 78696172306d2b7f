import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { maskSecrets, maskText } from '../../model/flow/secrets';

/** JSON lines on standard error, one per event; `trace` members tie the lines of a request together. */
export type Log = Logger;

const levels: Record<string, string> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
};

/** A logger for DS_LOG_LEVEL. Secrets are masked in members by their names, in texts and in errors. */
export function createLog(level: string, base: Record<string, unknown>): Log {
  return pino(options(level, base), pino.destination(2));
}

/** The same with another destination, for tests. */
export function createLogTo(stream: DestinationStream, level: string, base: Record<string, unknown>): Log {
  return pino(options(level, base), stream);
}

function options(level: string, base: Record<string, unknown>): LoggerOptions {
  const serialized = (error: Error) => maskSecrets(pino.stdSerializers.err(error));
  return {
    level: levels[level] ?? 'info',
    base,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
    serializers: { err: serialized, error: (value: unknown) => (value instanceof Error ? serialized(value) : value) },
    hooks: {
      logMethod(given, method) {
        const masked = given.map((part: unknown) => (typeof part === 'string' ? maskText(part) : part));
        method.apply(this, masked as Parameters<typeof method>);
      },
    },
  };
}

/** Errors keep their form for the serializers. */
function withoutSecrets(members: Record<string, unknown>): Record<string, unknown> {
  const errors = Object.entries(members).filter(([, value]) => value instanceof Error);
  const others = Object.entries(members).filter(([, value]) => !(value instanceof Error));
  return { ...maskSecrets(Object.fromEntries(others)), ...Object.fromEntries(errors) };
}
