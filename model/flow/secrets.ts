/** What stands in place of a secret. */
export const mask = '********';

/** A reference to a secret in the environment of the worker; it names the secret and is none itself. */
const reference = /^\$\{DOCLOOM_SECRET_[A-Z0-9_]+\}$/;

/** Names of members that hold secrets, after `snakeCase`. `token_limit` and `max_tokens` are none. */
const secretName =
  /(?:^|_)(?:api_?key|apikey|pass(?:word|wd|phrase)?|pwd|secrets?|token|access_key(?:_id)?|private_key|account_key|connection_string|authorization|credentials?)$|^secret_|_secret_/;

/**
 * The value with every secret masked, for responses and logs: strings and numbers in members named like `api_key`,
 * `password`, `secret…`, `token`, `access_key` (any spelling of words), and passwords inside URLs. References of the form
 * `${DOCLOOM_SECRET_…}` stay, so that a flow that was read can be written back. The input is not changed.
 */
export function maskSecrets<T>(value: T): T {
  return masked(value, false) as T;
}

/** True when a member of this name is masked. */
export function isSecretName(name: string): boolean {
  return secretName.test(snakeCase(name));
}

function masked(value: unknown, secret: boolean): unknown {
  if (typeof value === 'string') {
    if (!secret) return maskUrlPassword(value);
    return value === '' || reference.test(value) ? value : mask;
  }
  if (typeof value === 'number' || typeof value === 'bigint') return secret ? mask : value;
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, secret));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, masked(member, secret || isSecretName(name))]),
  );
}

function maskUrlPassword(text: string): string {
  return text.replace(
    /([a-z][a-z0-9+.-]*:\/\/[^\s:/?#@]*):(?!\$\{DOCLOOM_SECRET_[A-Z0-9_]+\}@)[^\s/?#@]+@/gi,
    `$1:${mask}@`,
  );
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-\s.]+/g, '_')
    .toLowerCase();
}
