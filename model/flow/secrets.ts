/** Replaces secrets in responses and logs. */
export const mask = '********';

/** A reference to a secret in the worker's environment or in a connection. The reference itself is not a secret. */
const reference = /^\$\{(?:DOCLOOM_SECRET_[A-Z0-9_]+|connection:[a-z0-9][a-z0-9_.-]*)\}$/;

/**
 * Names of members whose values are secrets, after `toSnakeCase`. Does not match `token_limit` or `max_tokens`. A `certificate` contains its
 * private key; `verify_certificate` is a switch.
 */
const secretName =
  /(?:^|_)(?:api_?key|apikey|pass(?:word|wd|phrase)?|pwd|secrets?|token|access_key(?:_id)?|private_key|account_key|service_account(?:_key)?|connection_string|authorization|credentials?|cookies?|signature|bearer)$|^secret_|_secret_|^certificate$/;

/** Names of headers whose values are secrets, in addition to `secretName`. */
const secretHeader = /auth|cookie|token|key|secret|session|signature|credential|pass/i;

/** Names of query parameters whose values are secrets, in addition to `secretName`. */
const secretParameter =
  /^(?:key|sig|sas|auth|jwt|sid|session|(?:php)?sess(?:ion)?id|code|awsaccesskeyid|googleaccessid|subscription_key|hmac)$/;

/**
 * A copy of the value with all secrets masked, for responses and logs: strings and numbers in members with names such as
 * `api_key`, `password`, `secret…`, `token`, `access_key` (in any letter case style), authentication headers, and the parts of
 * texts that `maskText` masks. References of the form `${DOCLOOM_SECRET_…}` and `${connection:…}` stay, so that a flow can be
 * read and written back.
 */
export function maskSecrets<T>(value: T): T {
  return maskValue(value, { secret: false, headers: false }) as T;
}

/** True when members of this name are masked. */
export function isSecretName(name: string): boolean {
  return readName(name).isSecret;
}

/** What the name of a member tells about its value. */
interface NameFacts {
  isSecret: boolean;
  /** The value holds headers. */
  isHeaders: boolean;
  /** The value is secret if the member is a header. */
  isSecretHeader: boolean;
}

/** The same names occur in every flow and log line. Users choose some of them, so their number and length are limited. */
const knownNames = new Map<string, NameFacts>();
const maxKnownNames = 5_000;
const maxKnownLength = 100;

function readName(name: string): NameFacts {
  const known = knownNames.get(name);
  if (known) return known;
  const words = toSnakeCase(name);
  const facts = {
    isSecret: secretName.test(words),
    isHeaders: /(?:^|_)headers?$/.test(words),
    isSecretHeader: secretHeader.test(name),
  };
  if (knownNames.size >= maxKnownNames) knownNames.clear();
  if (name.length <= maxKnownLength) knownNames.set(name, facts);
  return facts;
}

/** Masks passwords in addresses, and values of query parameters such as `api_key` and `sig`. */
export function maskText(text: string): string {
  if (!text.includes('://') && !text.includes('=')) return text;
  return (
    text
      // The password in `postgres://user:password@host`.
      .replace(
        /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#@"'<>]{0,500}):(?!\$\{(?:DOCLOOM_SECRET_[A-Z0-9_]+|connection:[a-z0-9][a-z0-9_.-]*)\}@)[^\s/?#"'<>]{1,4000}@/gi,
        `$1:${mask}@`,
      )
      // The token in `https://token@host`.
      .replace(
        /(\bhttps?:\/\/)(?!\$\{(?:DOCLOOM_SECRET_[A-Z0-9_]+|connection:[a-z0-9][a-z0-9_.-]*)\}@)[^\s:/?#@"'<>]{1,4000}@/gi,
        `$1${mask}@`,
      )
      // The value in `?api_key=value`.
      .replace(/([?&;#])([^=?&;#\s"'<>]{1,100})=([^&;#\s"'<>]{1,4000})/g, (all, before: string, name: string, value) =>
        isSecretParameter(name) && !reference.test(value as string) ? `${before}${name}=${mask}` : all,
      )
  );
}

/** True when the text is a mask, or an address with a masked part. */
export function holdsMask(text: string): boolean {
  return text === mask || text.includes(`${mask}@`) || text.includes(`=${mask}`);
}

/** Converts a name to lower case with underscores between words. */
export function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-\s.]+/g, '_')
    .toLowerCase();
}

function maskValue(value: unknown, within: { secret: boolean; headers: boolean }): unknown {
  if (typeof value === 'string') {
    if (!within.secret) return maskText(value);
    return value === '' || reference.test(value) ? value : mask;
  }
  if (typeof value === 'number' || typeof value === 'bigint') return within.secret ? mask : value;
  if (Array.isArray(value)) return value.map((item: unknown) => maskValue(item, within));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const { isSecret, isHeaders, isSecretHeader } = readName(name);
      const secret = within.secret || isSecret || (within.headers && isSecretHeader);
      return [name, maskValue(member, { secret, headers: within.headers || isHeaders })];
    }),
  );
}

function isSecretParameter(encoded: string): boolean {
  let name = encoded;
  try {
    name = decodeURIComponent(encoded);
  } catch {
    // Malformed percent-encoding: the name is checked as written.
  }
  const words = toSnakeCase(name);
  return secretName.test(words) || secretParameter.test(words);
}
