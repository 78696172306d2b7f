/** Inches in a mile. */
const mile = 63_360;
/**
 * Units by code: how many of them a stored unit is, and their name. Lengths are stored in inches, angles in radians, times in
 * days.
 */
const units: Readonly<Record<number, readonly [perStored: number, name: string]>> = {
  0x21: [100, '%'],
  0x2b: [1 / 7, 'ew.'],
  0x2c: [1, 'ed.'],
  0x2d: [24, 'eh.'],
  0x2e: [24 * 60, 'em.'],
  0x2f: [24 * 60 * 60, 'es.'],
  0x32: [72, 'pt'],
  0x33: [6, 'p'],
  0x35: [1016 / 15, 'd'],
  0x36: [254 / 45, 'c'],
  0x41: [1, 'in'],
  0x42: [1 / 12, 'ft'],
  0x44: [1 / mile, 'mi'],
  0x45: [2.54, 'cm'],
  0x46: [25.4, 'mm'],
  0x47: [0.0254, 'm'],
  0x48: [0.000_025_4, 'km'],
  0x49: [1, 'in'],
  0x4b: [1 / 36, 'yd'],
  0x4c: [0.0254 / 1852, 'nm'],
  0x51: [180 / Math.PI, 'deg'],
  0x52: [(180 * 60 * 60) / Math.PI, 'sec'],
  0x53: [1, 'rad'],
};
/** Units of areas only. Areas are stored in square inches; other areas have the unit of their sides. */
const areaUnits: Readonly<Record<number, readonly [perStored: number, name: string]>> = {
  0x24: [640 / mile ** 2, 'acre'],
  0x25: [0.0254 ** 2 / 10_000, 'ha'],
};
const [textKind, areaKind, dateKind] = [0xe8, 0xe9, 0x28];
/** Formats that show a date: from Visio's list or written out, such as `{<200>}` and `{{dd.MM.yyyy}}`. */
const dateFormat = /^\{(?:<2\d\d>|\{[^}]*[dMy])/;
/** Days from 1899-12-30, where dates of Visio start, to 1970-01-01. */
const epochDays = 25_569;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the text of a field: its string, the day of a date, or a number with its unit if the format shows one. Formats of
 * currencies and of decimal places are not applied.
 */
export function formatField(data: Buffer | undefined, names: ReadonlyMap<number, string>): string {
  if (data === undefined || data.length < 22) return '';
  const kind = data[7]!;
  if (kind === textKind) return names.get(data.readInt32LE(8)) ?? '';
  const format = names.get(data.readInt32LE(18)) ?? '';
  if (kind === areaKind) return formatArea(data, format);
  const value = data.readDoubleLE(8);
  if (!Number.isFinite(value)) return '';
  if (dateFormat.test(format) || (kind === dateKind && value > 1)) return formatDay(value);
  return formatNumber(value, units[kind], format);
}

/** Formats an area, whose value and unit are at the end of the field. */
function formatArea(data: Buffer, format: string): string {
  const value = data.readDoubleLE(data.length - 10);
  const code = data[data.length - 2]!;
  const side = units[code];
  if (!Number.isFinite(value)) return '';
  const unit = areaUnits[code] ?? (side && ([side[0] ** 2, `sq. ${side[1]}`] as const));
  return formatNumber(value, unit, format);
}

function formatNumber(value: number, unit: readonly [number, string] | undefined, format: string): string {
  const [perStored, name] = unit ?? [1, ''];
  const number = String(Number((value * perStored).toFixed(4)));
  if (format !== 'esc(1)' || name === '') return number;
  return name === '%' ? `${number}%` : `${number} ${name}`;
}

function formatDay(days: number): string {
  const date = new Date(Math.floor(days - epochDays) * dayMs);
  return Number.isNaN(date.getTime()) ? String(days) : date.toISOString().slice(0, 10);
}
