/** What stands in place of a secret. */
export const mask = '********';

/** A reference to a secret in the environment of the worker or in a connection; it names the secret and is none itself. */
const reference = /^\$\{(?:DOCLOOM_SECRET_[A-Z0-9_]+|connection:[a-z0-9][a-z0-9_.-]*)\}$/;

/** Names of members that hold secrets, after `snakeCase`. `token_limit` and `max_tokens` are none. */
const secretName =
  /(?:^|_)(?:api_?key|apikey|pass(?:word|wd|phrase)?|pwd|secrets?|token|access_key(?:_id)?|private_key|account_key|connection_string|authorization|credentials?|cookies?|signature|bearer)$|^secret_|_secret_/;

/** Names of headers that hold secrets, besides those that are secret anywhere. */
const secretHeader = /auth|cookie|token|key|secret|session|signature|credential|pass/i;

/** Names of query parameters that hold secrets, besides those that are secret anywhere. */
const secretParameter =
  /^(?:key|sig|sas|auth|jwt|sid|session|(?:php)?sess(?:ion)?id|code|awsaccesskeyid|googleaccessid|subscription_key|hmac)$/;

/**
 * The value with every secret masked, for responses and logs: strings and numbers in members named like `api_key`,
 * `password`, `secret…`, `token`, `access_key` (any spelling of words), headers that authenticate, and what `maskText` masks
 * in texts. References of the form `${DOCLOOM_SECRET_…}` and `${connection:…}` stay, so that a flow that was read can be written back. The input is
 * not changed.
 */
export function maskSecrets<T>(value: T): T {
  return masked(value, { secret: false, headers: false }) as T;
}

/** True when a member of this name is masked. */
export function isSecretName(name: string): boolean {
  return secretName.test(snakeCase(name));
}

/** The text with the passwords of addresses and the values of query parameters such as `api_key` and `sig` masked. */
export function maskText(text: string): string {
  if (!text.includes('://') && !text.includes('=')) return text;
  return text
    .replace(
      /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#@"'<>]{0,500}):(?!\$\{(?:DOCLOOM_SECRET_[A-Z0-9_]+|connection:[a-z0-9][a-z0-9_.-]*)\}@)[^\s/?#"'<>]{1,4000}@/gi,
      `$1:${mask}@`,
    )
    .replace(
      /(\bhttps?:\/\/)(?!\$\{(?:DOCLOOM_SECRET_[A-Z0-9_]+|connection:[a-z0-9][a-z0-9_.-]*)\}@)[^\s:/?#@"'<>]{1,4000}@/gi,
      `$1${mask}@`,
    )
    .replace(/([?&;#])([^=?&;#\s"'<>]{1,100})=([^&;#\s"'<>]{1,4000})/g, (all, before: string, name: string, value) =>
      isSecretParameter(name) && !reference.test(value as string) ? `${before}${name}=${mask}` : all,
    );
}

/** True when the text is a mask, or an address of which a part is masked. */
export function holdsMask(text: string): boolean {
  return text === mask || text.includes(`${mask}@`) || text.includes(`=${mask}`);
}

/** The words of a name, in lower case with underscores between them. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-\s.]+/g, '_')
    .toLowerCase();
}

function masked(value: unknown, within: { secret: boolean; headers: boolean }): unknown {
  if (typeof value === 'string') {
    if (!within.secret) return maskText(value);
    return value === '' || reference.test(value) ? value : mask;
  }
  if (typeof value === 'number' || typeof value === 'bigint') return within.secret ? mask : value;
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, within));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const secret = within.secret || isSecretName(name) || (within.headers && secretHeader.test(name));
      return [name, masked(member, { secret, headers: within.headers || /(?:^|_)headers?$/.test(snakeCase(name)) })];
    }),
  );
}

function isSecretParameter(encoded: string): boolean {
  let name = encoded;
  try {
    name = decodeURIComponent(encoded);
  } catch {
    // Judged as it is written.
  }
  const words = snakeCase(name);
  return secretName.test(words) || secretParameter.test(words);
}
