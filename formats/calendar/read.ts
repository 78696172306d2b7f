import { createDocument, type DocumentBuilder } from '../../document/builder';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { type ContentLine, type LineComponent, readComponents, decodeValue, listValues } from './content-lines';

const entries: ReadonlySet<string> = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY']);

/** Reads a calendar: a heading for each entry, its times, places and people as lines, its description as paragraphs. */
export const read: ReadDocument = (bytes, options) => {
  const components = readComponents(bytes, options);
  // Some programs write single entries without an enclosing calendar.
  const bare = components.filter(({ name }) => entries.has(name));
  const calendars = components.filter(({ name }) => name === 'VCALENDAR');
  if (bare.length > 0) calendars.push({ name: 'VCALENDAR', lines: [], components: bare });
  if (calendars.length === 0)
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' is not a calendar: it has no BEGIN:VCALENDAR.`);
  const builder = createDocument(getStem(options.name));
  for (const calendar of calendars) {
    const [title] = [...listValues(calendar, 'X-WR-CALNAME'), ...listValues(calendar, 'NAME')];
    if (title !== undefined) builder.text('title', toOneLine(title));
    for (const text of listValues(calendar, 'X-WR-CALDESC')) builder.text('text', text);
    for (const entry of calendar.components) if (entries.has(entry.name)) addEntry(builder, entry);
  }
  return builder.document;
};

/** Properties that are written as they are, with their labels. */
const textProperties = [
  ['Location', 'LOCATION'],
  ['Status', 'STATUS'],
  ['Categories', 'CATEGORIES'],
  ['Link', 'URL'],
  ['Contact', 'CONTACT'],
  ['Resources', 'RESOURCES'],
] as const;

function addEntry(builder: DocumentBuilder, entry: LineComponent): void {
  const [summary] = listValues(entry, 'SUMMARY');
  builder.heading(1, toOneLine(summary ?? '') || getKindName(entry));
  const addLine = (label: string, values: readonly string[]) => {
    if (values.length > 0) builder.text('text', `${label}: ${values.join(', ')}`);
  };
  const listLines = (name: string) => entry.lines.filter((line) => line.name === name);
  const addTimes = (label: string, name: string) => addLine(label, listLines(name).map(formatTime));
  addTimes('Start', 'DTSTART');
  addTimes('End', 'DTEND');
  addTimes('Due', 'DUE');
  addLine('Duration', listValues(entry, 'DURATION'));
  addLine('Repeats', listValues(entry, 'RRULE'));
  addTimes('Also', 'RDATE');
  addTimes('Except', 'EXDATE');
  addTimes('Completed', 'COMPLETED');
  for (const [label, name] of textProperties) addLine(label, listValues(entry, name).map(toOneLine));
  addLine('Organizer', listLines('ORGANIZER').map(formatPerson));
  addLine('Attendees', listLines('ATTENDEE').map(formatPerson));
  addLine(
    'Attachments',
    listLines('ATTACH')
      .filter(({ parameters }) => !parameters.has('ENCODING'))
      .map(({ value }) => value),
  );
  addLine(
    'Busy',
    listLines('FREEBUSY').map(({ value }) => value.split(',').map(formatRange).join(', ')),
  );
  for (const text of [...listValues(entry, 'DESCRIPTION'), ...listValues(entry, 'COMMENT')])
    for (const paragraph of text.split(/\n\s*\n/)) if (paragraph.trim() !== '') builder.text('text', paragraph.trim());
  for (const alarm of entry.components) {
    const text = alarm.name === 'VALARM' ? listValues(alarm, 'DESCRIPTION')[0] : undefined;
    if (text !== undefined && text !== summary) builder.text('text', `Reminder: ${toOneLine(text)}`);
  }
}

function getKindName({ name }: LineComponent): string {
  return { VEVENT: 'Event', VTODO: 'Task', VJOURNAL: 'Journal', VFREEBUSY: 'Free and busy times' }[name] ?? name;
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function formatPerson({ parameters, value }: ContentLine): string {
  const address = value.replace(/^mailto:/i, '').trim();
  const name = decodeValue(parameters.get('CN') ?? '');
  return name === '' || name === address ? address : `${name} <${address}>`;
}

/** Formats the dates of a line with their zone: `2026-05-20 10:30 Europe/Berlin`, `2026-05-20 10:30 UTC`, `2026-05-20`. */
function formatTime({ parameters, value }: ContentLine): string {
  const zone = parameters.get('TZID');
  return value
    .split(',')
    .map((part) => (zone === undefined ? formatRange(part) : `${formatRange(part)} ${zone}`))
    .join(', ');
}

/** Formats a date, or a period of two dates separated by a slash. */
function formatRange(value: string): string {
  return value.trim().split('/').map(formatDate).join(' – ');
}

function formatDate(value: string): string {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z?))?$/.exec(value.trim());
  if (match === null) return value.trim();
  const [, year, month, day, hour, minute, second, utc] = match;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  const seconds = second === undefined || second === '00' ? '' : `:${second}`;
  return `${date} ${hour}:${minute}${seconds}${utc === 'Z' ? ' UTC' : ''}`;
}
