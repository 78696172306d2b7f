import { AppError } from '../errors';
import { apiSettings } from './api';
import { conversionSettings } from './conversion';
import { conversionResultSettings } from './conversion-results';
import { documentSetSettings } from './document-set';
import { flowSettings } from './flow';
import { llmSettings } from './llm';
import { loginSettings } from './login';
import { findText, parseSetting } from './parse';
import { processSettings } from './process';
import { runSettings } from './run';
import { searchSettings } from './search';
import type { Setting } from './setting';
import { sourceSettings } from './source';
import { speechSettings } from './speech';
import { storageSettings } from './storage';
import { temporalSettings } from './temporal';
import { visionSettings } from './vision';

/** All settings of the product, one file per subject. `docloom config`, the documentation and the compose test read this list. */
export const settings = {
  ...apiSettings,
  ...loginSettings,
  ...temporalSettings,
  ...storageSettings,
  ...searchSettings,
  ...documentSetSettings,
  ...sourceSettings,
  ...flowSettings,
  ...runSettings,
  ...llmSettings,
  ...visionSettings,
  ...speechSettings,
  ...conversionSettings,
  ...conversionResultSettings,
  ...processSettings,
};

type SettingName = keyof typeof settings;
type Value<S extends Setting> = S['kind'] extends 'integer' | 'number' | 'port'
  ? number
  : S['kind'] extends 'boolean'
    ? boolean
    : S['kind'] extends 'list'
      ? string[]
      : S extends { default: string }
        ? string
        : string | undefined;

/** All parsed settings. */
export type Config = { [Name in SettingName]: Value<(typeof settings)[Name]> };

/** Parses all settings and reports every problem at once as INVALID_CONFIGURATION. Empty values count as not set. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const text = findText(env, name, setting) || setting.default;
    config[name] = text === undefined ? undefined : parseSetting(name, setting, text, problems);
  }
  if (typeof config['JWT_SECRET_KEY'] === 'string')
    problems.push(...listWeaknesses('JWT_SECRET_KEY', config['JWT_SECRET_KEY']));
  for (const former of config['JWT_PREVIOUS_SECRET_KEYS'] as string[])
    problems.push(...listWeaknesses('JWT_PREVIOUS_SECRET_KEYS', former));
  problems.push(...listResourceProblems(config['DOCLOOM_OAUTH2_RESOURCE'] as string | undefined));
  if (problems.length > 0) {
    throw new AppError('INVALID_CONFIGURATION', `The configuration is invalid: ${problems.join('; ')}.`, {
      problems: problems.map((message) => ({ message })),
    });
  }
  return config as Config;
}

/** The name of a protected resource is an address without query and fragment (RFC 9728). */
function listResourceProblems(resource: string | undefined): string[] {
  if (resource === undefined || (URL.canParse(resource) && /^https?:\/\/[^?#]+$/.test(resource))) return [];
  return [
    `DOCLOOM_OAUTH2_RESOURCE is '${resource}'; it must be the address of /mcp, such as https://docs.example.org/mcp`,
  ];
}

/** The environment for processes of the product other than the api, without the secrets that only the api needs. */
export function omitApiSecrets<T extends string | undefined>(env: Record<string, T>): Record<string, T> {
  return omitSettings(env, (setting) => setting.only === 'api');
}

/** The environment for third-party programs, without any secret of the product or of flows. */
export function omitOwnSecrets<T extends string | undefined>(env: Record<string, T>): Record<string, T> {
  return omitSettings(env, (setting) => setting.secret === true, /^DOCLOOM_SECRET_/);
}

function omitSettings<T extends string | undefined>(
  env: Record<string, T>,
  isOmitted: (setting: Setting) => boolean,
  pattern?: RegExp,
): Record<string, T> {
  const names = new Set(
    Object.entries<Setting>(settings).flatMap(([name, setting]) =>
      isOmitted(setting) ? [name, ...(setting.aliases ?? [])] : [],
    ),
  );
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name) && !pattern?.test(name)));
}

const minSecretLength = 32;
const minDifferentCharacters = 8;

/** A guessable secret would let anybody forge tokens. The message never contains any part of the secret. */
function listWeaknesses(name: string, secret: string): string[] {
  if (secret.length < minSecretLength)
    return [`${name} has ${secret.length} characters; at least ${minSecretLength} are needed`];
  if (new Set(secret).size < minDifferentCharacters)
    return [`${name} has fewer than ${minDifferentCharacters} different characters; use a random one`];
  return [];
}

/** The output of `docloom config`: origin and value of each setting, with secrets masked. */
export function describeConfig(
  env: Record<string, string | undefined>,
): { name: string; value: string; origin: 'environment' | 'default' | 'not set'; text: string }[] {
  return Object.entries<Setting>(settings).map(([name, setting]) => {
    const text = findText(env, name, setting);
    const value = text || setting.default || '';
    const defaultOrigin = setting.default === undefined ? 'not set' : 'default';
    const origin = text ? 'environment' : defaultOrigin;
    const isMasked = setting.secret && value !== '' && origin !== 'default' && !setting.harmless?.test(value);
    return { name, value: isMasked ? '********' : value, origin, text: setting.text };
  });
}
