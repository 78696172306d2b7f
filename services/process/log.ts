import { type Logger, pino } from 'pino';

/** JSON lines on standard error, one per event; `trace` members tie the lines of a request together. */
export type Log = Logger;

const levels: Record<string, string> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
};

/** A logger for DS_LOG_LEVEL. Members that may hold secrets are masked at the first two levels. */
export function createLog(level: string, base: Record<string, unknown>): Log {
  const names = [
    'password',
    'secret',
    'token',
    'access_token',
    'authorization',
    'cookie',
    'api_key',
    'apiKey',
    'secret_key',
    'secretKey',
  ];
  return pino(
    {
      level: levels[level] ?? 'info',
      base,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: names.flatMap((name) => [name, `*.${name}`]), censor: '********' },
    },
    pino.destination(2),
  );
}
