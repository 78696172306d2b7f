import type { Context, Middleware } from 'koa';

const strict = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
// The reference UIs write style elements at run time, and one of them searches in a worker made from a blob.
const page = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The headers that every response carries, also one that the HTTP parser refused. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': strict,
  'Cache-Control': 'no-store',
};

/** Sets the security headers before anything can fail. */
export const setSecurityHeaders: Middleware = async (context, next) => {
  context.set(securityHeaders);
  await next();
};

/** Lets a documentation page load its own scripts and styles; nothing from elsewhere. */
export function allowPageAssets(context: Context): void {
  context.set('Content-Security-Policy', page);
}
