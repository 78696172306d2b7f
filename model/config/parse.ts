import type { Setting } from './setting';

const yes = /^(true|1|yes|on)$/i;

/** The value of the setting itself, else of its first alias that has one; blank values count as not set. */
export function findText(
  env: Record<string, string | undefined>,
  name: string,
  { aliases = [], switches = {} }: Setting,
): string | undefined {
  const input = [name, ...aliases].map((value) => env[value]?.trim()).find(Boolean);
  const items = Object.entries(switches).flatMap(([entry, item]) => (yes.test(env[entry]?.trim() ?? '') ? [item] : []));
  return input ?? (items.length > 0 ? items.join(',') : undefined);
}

/** Returns undefined for text that is not a value of the setting, and adds the reason to `problems`. */
export function parseSetting(name: string, setting: Setting, text: string, problems: string[]): unknown {
  if (setting.oneOf && !setting.oneOf.includes(text)) {
    problems.push(`${name} is '${text}'; it must be one of ${setting.oneOf.join(', ')}`);
    return undefined;
  }
  switch (setting.kind) {
    case 'text':
      return text;
    case 'list':
      return parseItems(text);
    case 'boolean':
      if (yes.test(text)) return true;
      if (/^(false|0|no|off)$/i.test(text)) return false;
      problems.push(`${name} is '${text}'; it must be true or false`);
      return undefined;
    case 'number': {
      const value = Number(text);
      if (Number.isFinite(value) && value >= (setting.minimum ?? -Infinity)) return value;
      problems.push(
        `${name} is '${text}'; it must be a number${setting.minimum === undefined ? '' : ` from ${setting.minimum}`}`,
      );
      return undefined;
    }
    case 'integer':
    case 'port': {
      const value = Number(text);
      const minimum = setting.kind === 'port' ? 1 : (setting.minimum ?? Number.MIN_SAFE_INTEGER);
      const maximum = setting.kind === 'port' ? 65_535 : Number.MAX_SAFE_INTEGER;
      if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
      problems.push(
        `${name} is '${text}'; it must be a whole number from ${minimum}${setting.kind === 'port' ? ` to ${maximum}` : ''}`,
      );
      return undefined;
    }
  }
}

/** Accepts comma-separated items, or a JSON array as other servers do. */
function parseItems(text: string): string[] {
  const isArray = text.startsWith('[') && text.endsWith(']');
  const items = (isArray ? text.slice(1, -1) : text).split(',').map((item) => item.trim());
  return items.map((item) => (isArray ? item.replace(/^"(.*)"$/, '$1') : item)).filter(Boolean);
}
