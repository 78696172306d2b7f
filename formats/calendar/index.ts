import type { Format } from '../format';

/** Calendars with events, tasks and journals (iCalendar and vCalendar). */
export const ics: Format = {
  name: 'ics',
  label: 'Calendar',
  mediaTypes: ['text/calendar', 'text/x-vcalendar'],
  extensions: ['ics', 'ical', 'ifb', 'vcs'],
  sniff: (head) =>
    /^(?:\u00ef\u00bb\u00bf)?\s*BEGIN:VCALENDAR\s/i.test(Buffer.from(head.subarray(0, 64)).toString('latin1')),
  load: () => import('./read'),
};
