import { createDocument, type DocumentBuilder } from '../../document/builder';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { type ContentLine, type LineComponent, readComponents, getShownValue, listValues } from './content-lines';

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

function addEntry(builder: DocumentBuilder, entry: LineComponent): void {
  const [summary] = listValues(entry, 'SUMMARY');
  builder.heading(1, toOneLine(summary ?? '') || getKind(entry));
  const formatLine = (label: string, values: readonly string[]) => {
    if (values.length > 0) builder.text('text', `${label}: ${values.join(', ')}`);
  };
  const formatLines = (name: string) => entry.lines.filter((contentLine) => contentLine.name === name);
  formatLine('Start', formatLines('DTSTART').map(getTime));
  formatLine('End', formatLines('DTEND').map(getTime));
  formatLine('Due', formatLines('DUE').map(getTime));
  formatLine('Duration', listValues(entry, 'DURATION'));
  formatLine('Repeats', listValues(entry, 'RRULE'));
  formatLine('Also', formatLines('RDATE').map(getTime));
  formatLine('Except', formatLines('EXDATE').map(getTime));
  formatLine('Completed', formatLines('COMPLETED').map(getTime));
  for (const [label, name] of [
    ['Location', 'LOCATION'],
    ['Status', 'STATUS'],
    ['Categories', 'CATEGORIES'],
    ['Link', 'URL'],
    ['Contact', 'CONTACT'],
    ['Resources', 'RESOURCES'],
  ] as const) {
    formatLine(label, listValues(entry, name).map(toOneLine));
  }
  formatLine('Organizer', formatLines('ORGANIZER').map(getPerson));
  formatLine('Attendees', formatLines('ATTENDEE').map(getPerson));
  formatLine(
    'Attachments',
    formatLines('ATTACH')
      .filter(({ parameters }) => !parameters.has('ENCODING'))
      .map(({ value }) => value),
  );
  formatLine(
    'Busy',
    formatLines('FREEBUSY').map(({ value }) => value.split(',').map(formatRange).join(', ')),
  );
  for (const name of ['DESCRIPTION', 'COMMENT'])
    for (const text of listValues(entry, name))
      for (const paragraph of text.split(/\n\s*\n/))
        if (paragraph.trim() !== '') builder.text('text', paragraph.trim());
  for (const alarm of entry.components) {
    const text = alarm.name === 'VALARM' ? listValues(alarm, 'DESCRIPTION')[0] : undefined;
    if (text !== undefined && text !== summary) builder.text('text', `Reminder: ${toOneLine(text)}`);
  }
}

function getKind({ name }: LineComponent): string {
  return { VEVENT: 'Event', VTODO: 'Task', VJOURNAL: 'Journal', VFREEBUSY: 'Free and busy times' }[name] ?? name;
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function getPerson({ parameters, value }: ContentLine): string {
  const address = value.replace(/^mailto:/i, '').trim();
  const name = getShownValue(parameters.get('CN') ?? '');
  return name === '' || name === address ? address : `${name} <${address}>`;
}

/** Dates with their zone: `2026-05-20 10:30 Europe/Berlin`, `2026-05-20 10:30 UTC`, `2026-05-20`. */
function getTime({ parameters, value }: ContentLine): string {
  const zone = parameters.get('TZID');
  return value
    .split(',')
    .map((part) => (zone === undefined ? formatRange(part) : `${formatRange(part)} ${zone}`))
    .join(', ');
}

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
