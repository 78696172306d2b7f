import type { Context, Middleware } from 'koa';

const strictPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
// The API reference pages create style elements at runtime, and one of them searches in a worker created from a blob.
const pagePolicy = [
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

/** The headers of every response, including responses to requests that the HTTP parser rejected. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': strictPolicy,
  'Cache-Control': 'no-store',
};

/** Browsers ignore this header without TLS, and then use TLS for a year, for subdomains too. */
const strictTransport = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' };

/** Sets the security headers before anything can fail; with an https address also the one that makes browsers insist on TLS. */
export function createSecurityHeaders(publicUrl: string | undefined): Middleware {
  const headers = publicUrl?.startsWith('https:') ? { ...securityHeaders, ...strictTransport } : securityHeaders;
  return async (context, next) => {
    context.set(headers);
    await next();
  };
}

/** Allows a documentation page to load its own scripts and styles, but nothing from other hosts. */
export function allowPageAssets(context: Context): void {
  context.set('Content-Security-Policy', pagePolicy);
}
