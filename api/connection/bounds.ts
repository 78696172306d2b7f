import type { ConnectionPatch } from '../../model/connection/wire';
import { mask } from '../../model/flow/secrets';
import { createInvalidFieldError } from '../http/invalid-field';

/** Throws VALIDATION_ERROR for a host that no connection can have, and for a masked secret. */
export function requireUsable({ hosts = [], secret }: Pick<ConnectionPatch, 'hosts' | 'secret'>): void {
  for (const [index, host] of hosts.entries()) {
    const problem = findHostProblem(host);
    if (problem !== undefined) throw createInvalidFieldError(`hosts.${index}`, `The host '${host}' ${problem}.`);
  }
  if (secret === undefined) return;
  const texts = typeof secret === 'string' ? [secret] : Object.values(secret);
  if (texts.length === 0)
    throw createInvalidFieldError('secret', 'The secret is empty; send a string, or an object of named strings.');
  if (texts.includes(mask))
    throw createInvalidFieldError('secret', `The secret is '${mask}', the mask that replies show instead of a secret.`);
}

/** The end of a sentence that begins with the host; undefined when a connection can have it. */
function findHostProblem(entry: string): string | undefined {
  if (entry.startsWith('operator:')) return undefined;
  const host = entry.replace(/^\*\./, '').toLowerCase();
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const port = /:(\d+)$/.exec(host)?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return 'has a port outside 1 to 65535';
  const name = port === undefined ? host : host.slice(0, -port.length - 1);
  if (!url || /(^|\.)\.|^-/.test(name)) return 'is neither a name nor an address';
  if (entry.startsWith('*.') && /^[[\d]/.test(url.hostname)) return 'has a wildcard before an address';
  return url.hostname === name ? undefined : `is read as '${url.hostname}'; write it so`;
}
