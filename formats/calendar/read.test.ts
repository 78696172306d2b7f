import { convertBytes } from '../convert';

const convert = async (lines: string[], name = 'a.ics') =>
  convertBytes({ bytes: Buffer.from(lines.join('\r\n')), name });
const getTexts = async (lines: string[], name?: string) =>
  (await convert(lines, name)).document.texts.map(({ text }) => text);

test('a value of 300,000 encoded lines is read in linear time, also without its end', async () => {
  const value = ['SUMMARY;ENCODING=QUOTED-PRINTABLE:=', ...Array.from({ length: 300_000 }, () => '=41=')];
  const [head = ''] = await getTexts(['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...value]);
  expect(head).toBe('A'.repeat(300_000));
});

test('entries have times, places, people and descriptions; folded lines are joined', async () => {
  expect(
    await getTexts([
      ...['BEGIN:VCALENDAR', 'X-WR-CALNAME:Team', 'BEGIN:VTIMEZONE', 'TZID:Europe/Berlin', 'END:VTIMEZONE'],
      ...['BEGIN:VEVENT', 'SUMMARY;LANGUAGE=en:Review\\, part', '  two', 'DTSTART;TZID=Europe/Berlin:20260520T103000'],
      ...['DTEND:20260520T113000Z', 'RRULE:FREQ=WEEKLY', 'ORGANIZER;CN="Doe, Jane":mailto:jane@a.example'],
      ...[
        'DESCRIPTION:First\\nline\\n\\nsecond; paragraph',
        'BEGIN:VALARM',
        'DESCRIPTION:Bring cake',
        'END:VALARM',
        'END:VEVENT',
      ],
      ...['BEGIN:VTODO', 'DUE;VALUE=DATE:20260601', 'END:VTODO', 'END:VCALENDAR'],
    ]),
  ).toEqual([
    ...['Team', 'Review, part two', 'Start: 2026-05-20 10:30 Europe/Berlin', 'End: 2026-05-20 11:30 UTC'],
    ...['Repeats: FREQ=WEEKLY', 'Organizer: Doe, Jane <jane@a.example>', 'First\nline', 'second; paragraph'],
    ...['Reminder: Bring cake', 'Task', 'Due: 2026-06-01'],
  ]);
});

test('values of version 1.0 are quoted-printable; entries may occur without a calendar; other texts are rejected', async () => {
  const entry = ['BEGIN:VEVENT', 'SUMMARY;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Gr=C3=BC=', '=C3=9Fe', 'END:VEVENT'];
  expect(await getTexts(['BEGIN:VCALENDAR', ...entry, 'END:VCALENDAR'], 'a.vcs')).toEqual(['Grüße']);
  expect(await getTexts(entry)).toEqual(['Grüße']);
  await expect(convert(['nothing'])).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  await expect(convert(Array.from({ length: 2000 }, () => 'BEGIN:X'))).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_LARGE',
  });
});

test('contacts have numbers by kind, addresses and notes; pictures are counted', async () => {
  const { document, format, coverage } = await convert(
    [
      ...[
        'BEGIN:VCARD',
        'VERSION:3.0',
        'N:Doe;Jane;;Dr.;',
        'item1.TEL;TYPE=work,pref:+49 30 1',
        'TEL;CELL;VOICE:+49 170 2',
      ],
      ...[
        'ADR;TYPE=home:;;Street 1\\; back;Berlin;;10115;Germany',
        'NOTE:Met in\\nRome',
        'PHOTO;ENCODING=b:AAAA',
        'END:VCARD',
      ],
      ...['BEGIN:VCARD', 'FN:Second', 'END:VCARD'],
    ],
    'people.ics',
  );
  expect(format).toBe('vcf');
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['section_header', 'Dr. Jane Doe'],
    ['text', 'Phone (work): +49 30 1'],
    ['text', 'Phone (cell): +49 170 2'],
    ['text', 'Address (home): Street 1; back, Berlin, 10115, Germany'],
    ['text', 'Met in\nRome'],
    ['section_header', 'Second'],
  ]);
  expect(coverage).toEqual([{ kind: 'attachment', count: 1, words: 0, in_json: false }]);
});
