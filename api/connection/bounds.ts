import type { ConnectionPatch } from '../../model/connection/wire';
import { AppError } from '../../model/errors';
import { mask } from '../../model/flow/secrets';

/** Throws VALIDATION_ERROR for a host that no connection can have, and for a masked secret. */
export function requireUsable({ hosts = [], secret }: Pick<ConnectionPatch, 'hosts' | 'secret'>): void {
  for (const [index, host] of hosts.entries()) {
    const problem = findProblem(host);
    if (problem !== undefined) refuseField(`hosts.${index}`, `The host '${host}' ${problem}.`);
  }
  if (secret === undefined) return;
  const texts = typeof secret === 'string' ? [secret] : Object.values(secret);
  if (texts.length === 0) refuseField('secret', 'The secret is empty; it must be a text, or texts by name.');
  if (texts.includes(mask))
    refuseField('secret', `The secret is '${mask}', the mask that replies show instead of a secret.`);
}

function findProblem(entry: string): string | undefined {
  if (entry.startsWith('operator:')) return undefined;
  const host = entry.replace(/^\*\./, '').toLowerCase();
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const port = /:(\d+)$/.exec(host)?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return 'has no port from 1 to 65535';
  const name = port === undefined ? host : host.slice(0, -port.length - 1);
  if (!url || /(^|\.)\.|^\.|^-/.test(name)) return 'is neither a name nor an address';
  if (entry.startsWith('*.') && /^[[\d]/.test(url.hostname)) return 'has a wildcard before an address';
  return url.hostname === name ? undefined : `is read as '${url.hostname}'; write it so`;
}

function refuseField(name: string, message: string): never {
  throw new AppError('VALIDATION_ERROR', message, { target: { type: 'field', name } });
}
