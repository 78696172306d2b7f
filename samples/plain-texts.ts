/** Samples that are plain text: the key is the path below `samples/documents/`. */
export const plainTexts: Readonly<Record<string, string>> = {
  'public/employee-handbook.md': `# Employee Handbook

Brackwater Instruments, edition of January 2025. Questions go to Carol in the front office.

## Working hours

The usual week has 38 hours. Core time is from 9:30 to 15:00; outside of it everyone arranges the day with the team.
Time worked on a quay or on a boat before 7:00 counts one and a half times.

## Holidays

- 29 days of paid holiday a year, 31 after five years
- up to 6 days may be carried over until 31 March
- applications at least two weeks ahead, longer holidays six weeks ahead

## Working from home

Up to three days a week, with the exception of calibration and assembly. The company provides screen, chair and a
contribution of 25 euros a month to the internet connection.

## Sick leave

Report to your team lead before 9:00. A doctor's certificate is needed from the fourth day.

## Equipment on loan

| Item | Who gives it out | Longest loan |
| --- | --- | --- |
| Echo sounder ES-3 | Calibration hall | 14 days |
| Company boat *Avocet* | Front office | 2 days |
| Survey drone | Engineering | 5 days |

Life jackets are mandatory on the boat and on every quay without a railing.
`,
  'public/opening-hours.txt': `Brackwater Instruments - visiting and opening hours

Front office:       Monday to Friday, 8:30 to 17:00
Repair counter:     Monday to Thursday, 9:00 to 16:00
Goods inward:       Monday to Friday, 7:00 to 14:30 (ring at gate 2)
Emergency line:     +00 555 0142, day and night, for harbour authorities with a service contract

The premises are closed from 24 December to 1 January. Gauges sent in for calibration should arrive no later than
10 December if they are needed back before the new year.

Visitors sign in at the front office and receive a badge. Please bring closed shoes for the calibration hall.
`,
  'public/travel-policy.html': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Travel Policy</title>
    <style>body { font-family: sans-serif }</style>
  </head>
  <body>
    <h1>Travel Policy</h1>
    <p>This policy applies to all business trips of Brackwater Instruments from <strong>1 March 2025</strong>.</p>
    <h2>Booking</h2>
    <p>Trips within the country are made by train. Flights need the consent of the team lead and are booked at least
      three weeks ahead. Rooms may cost up to 140 euros a night; in harbour cities during trade fairs up to 190 euros.</p>
    <h2>Allowances</h2>
    <table>
      <thead><tr><th>Length of absence</th><th>Daily allowance</th></tr></thead>
      <tbody>
        <tr><td>8 to 14 hours</td><td>14 euros</td></tr>
        <tr><td>14 to 24 hours</td><td>28 euros</td></tr>
        <tr><td>Full day abroad</td><td>according to the country table</td></tr>
      </tbody>
    </table>
    <h2>Expenses</h2>
    <ol>
      <li>Hand in receipts within 30 days.</li>
      <li>Use the form <a href="https://intranet.example.com/forms/travel">Travel expenses</a>.</li>
      <li>Payment follows with the next salary.</li>
    </ol>
    <p>Work on boats is insured separately; tell the front office the name of the vessel before departure.</p>
    <script>console.log('not part of the text')</script>
  </body>
</html>
`,
  'finance/board-minutes.txt': `Minutes of the board meeting of 21 January 2025

Present: Helen Marsh (chair), Alice, Peter Lund, Samira Haddad
Start 14:00, end 16:25

1. Results of 2024
Alice presented the preliminary figures: revenue 6.81 million euros, operating result 0.74 million euros. The auditors
begin on 3 February. The board thanked the finance team for closing the books in eight working days.

2. Dividend
The board decided to propose a dividend of 1.20 euros a share. Peter Lund abstained.

3. Credit line
The credit line with Ellery Savings Bank is extended by two years to 800,000 euros, at the three-month rate plus 1.35
percentage points. At present 120,000 euros are drawn.

4. Second calibration tank
The investment of 310,000 euros was approved under the condition that the fire brigade accepts the escape route.

5. Any other business
The salary review is moved from April to March. Next meeting: 18 March 2025, 14:00.
`,
  'finance/invoices-2024-q4.csv': `invoice,date,customer,item,quantity,net_eur,paid
2024-1187,2024-10-02,Port Authority Ellery,TG-210 tide gauge,4,15160.00,yes
2024-1190,2024-10-04,"Institute of Estuary Research, Department 3",SL-40 salinity logger,6,11340.00,yes
2024-1201,2024-10-15,Nordhafen Harbour Board,Calibration on site,1,2150.00,yes
2024-1215,2024-10-29,Windpark Oststrand,TG-210 tide gauge,2,7580.00,no
2024-1222,2024-11-06,Port Authority Ellery,Desiccant cartridge DC-1,40,760.00,yes
2024-1236,2024-11-19,City of Lagerskov,"TG-210 tide gauge, with radio module",3,12810.00,yes
2024-1240,2024-11-25,Institute of Coastal Physics,Pump kit PK-2,2,378.00,yes
2024-1258,2024-12-05,Windpark Oststrand,Service contract 2025,1,8400.00,no
2024-1263,2024-12-12,Nordhafen Harbour Board,SL-40 salinity logger,3,5670.00,no
2024-1270,2024-12-19,Marina Seehof,TG-200 tide gauge (remaining stock),1,2490.00,yes
`,
  'engineering/firmware-release-notes.md': `# TG-210 Firmware Release Notes

## 3.4.1 (2 December 2024)

- Fixes a restart after 49 days caused by the overflow of the millisecond counter.
- The RS-485 bus keeps its address after a firmware update.

## 3.4.0 (14 October 2024)

### New

1. Averaging window selectable from 10 to 120 seconds with the command \`AVG\`.
2. Diagnostic counters for broken frames, read with \`DIAG?\`.
3. Battery estimate in days, computed from the last 14 days.

### Changed

The default transmission interval is 6 minutes instead of 10. Set \`TXI 600\` to get the old behaviour back.

\`\`\`
> TXI?
TXI 360
> TXI 600
OK
\`\`\`

## 3.3.2 (5 July 2024)

Corrects the temperature compensation below 2 degrees Celsius. Gauges in northern harbours showed values up to
11 millimetres too low in February. Re-calibration is **not** needed after the update.

| Temperature | Error with 3.3.1 | Error with 3.3.2 |
| ---: | ---: | ---: |
| -5 °C | -11 mm | 1 mm |
| 0 °C | -6 mm | 1 mm |
| 10 °C | 0 mm | 0 mm |
`,
  'engineering/calibration-notes.txt': `Calibration hall - working notes

Tank 1 was drained and cleaned on 7 November 2024. The reference staff reads 0.4 mm lower than before; the offset is
entered in the calibration program since 8 November. Certificates written between 1 and 7 November are not affected,
because the drift was below the stated uncertainty of 0.8 mm.

Procedure for SL-40 salinity loggers: rinse with deionised water, wait 20 minutes in the bath at 15 degrees, then take
five readings each at 5, 15 and 35 PSU. Loggers with a cell constant outside 0.985 to 1.015 go back to assembly.

Known trouble: the stirrer of bath B stops after about four hours. A spare motor is ordered (item 44-0917). Until it
arrives, note the time of start on the board and restart by hand.

The pump kit PK-2 dries a vented cable in 35 minutes at a dew point of minus 40 degrees. Do not shorten this; three of
the five gauges that drifted last winter had been dried for ten minutes only.
`,
  'engineering/field-test-results.csv': `site;date;gauge;readings;mean_deviation_mm;max_deviation_mm;remark
Port Ellery, pier 3;2024-08-12;TG-210 #0417;1440;1.1;4.8;calm
Port Ellery, pier 3;2024-08-13;TG-210 #0417;1440;1.3;6.2;ferry traffic
Lagerskov lock;2024-08-20;TG-210 #0422;1438;0.9;3.9;two frames lost
Nordhafen, basin 2;2024-09-03;TG-300 prototype A;1440;2.4;11.7;foam on the surface
Nordhafen, basin 2;2024-09-04;TG-300 prototype A;1440;2.0;7.5;antenna lowered
Oststrand platform;2024-09-17;TG-300 prototype B;1399;3.1;14.0;waves above 1 m
`,
};

/** Who may read what: one sidecar per folder. Bob also gets the list prices, though they are filed under finance. */
export const accessLists: Readonly<Record<string, object>> = {
  'public/.acl.json': { allowed_users: ['alice', 'bob', 'carol'] },
  'finance/.acl.json': { allowed_users: ['alice'], files: { 'price-list-*.xlsx': ['alice', 'bob'] } },
  'engineering/.acl.json': { allowed_users: ['bob'] },
};

/** Slides of the company profile. */
export const slides: readonly {
  title: string;
  points: readonly string[];
  table?: readonly (readonly string[])[];
  notes: string;
}[] = [
  {
    title: 'Brackwater Instruments',
    points: [
      'Tide gauges and salinity loggers since 2009',
      '38 people in Port Ellery',
      'More than 9,000 gauges in 31 countries',
    ],
    notes: 'Open with the photograph of the first gauge, which still runs at pier 3.',
  },
  {
    title: 'Our products',
    points: [
      'TG-210: pressure gauge for harbours and rivers',
      'SL-40: salinity logger for estuaries',
      'Service: calibration, repair, training',
    ],
    notes: 'Do not mention the TG-300 before the field trials.',
  },
  {
    title: 'Why customers stay',
    points: ['Eight warranty cases per 1,000 units', 'Repair within five working days', 'Spare parts for 15 years'],
    table: [
      ['Service level', 'Response', 'Price a year'],
      ['Basic', 'Next working day', '480 EUR'],
      ['Harbour', '4 hours, day and night', '1,950 EUR'],
    ],
    notes: 'The prices are those of the public list.',
  },
];

/** The price list: the first row of each sheet is its title and spans all columns. Dates are ISO days. */
export const priceList: readonly {
  sheet: string;
  title: string;
  rows: readonly (readonly (string | number | { date: string })[])[];
}[] = [
  {
    sheet: 'Products',
    title: 'List prices 2025, net, in euros',
    rows: [
      ['Item', 'Description', 'Price', 'Valid from'],
      ['TG-210', 'Tide gauge with stilling well', 3790, { date: '2025-01-01' }],
      ['TG-210-R', 'Tide gauge with radio module', 4270, { date: '2025-01-01' }],
      ['SL-40', 'Salinity logger, 200 m', 1890, { date: '2025-01-01' }],
      ['PK-2', 'Pump kit for vented cables', 189, { date: '2025-03-01' }],
      ['DC-1', 'Desiccant cartridge', 19, { date: '2024-07-01' }],
    ],
  },
  {
    sheet: 'Services',
    title: 'Services and discounts',
    rows: [
      ['Service', 'Unit', 'Price', 'Valid from'],
      ['Calibration in Port Ellery', 'piece', 310, { date: '2025-01-01' }],
      ['Calibration on site', 'day', 2150, { date: '2025-01-01' }],
      ['Discount from 10 pieces', 'percent', 7.5, { date: '2025-01-01' }],
      ['Discount from 50 pieces', 'percent', 12, { date: '2025-01-01' }],
    ],
  },
];
