/** A piece of a sample document; every writer renders the same pieces in its own format. */
export type Block =
  | { heading: string; level?: 1 | 2 | 3 }
  | { text: string }
  | { list: readonly string[]; ordered?: boolean }
  | { table: readonly (readonly string[])[] }
  | { link: string; url: string }
  | { pageBreak: true };

/** The yearly report of the invented company that all samples belong to: a maker of tide gauges with 38 people. */
export const annualReport: readonly Block[] = [
  { heading: 'Brackwater Instruments: Annual Report 2024', level: 1 },
  {
    text: 'Brackwater Instruments Ltd builds tide gauges and salinity loggers for harbours, estuaries and research stations. The company was founded in Port Ellery in 2009 and employed 38 people at the end of the year, three more than the year before.',
  },
  { heading: 'Summary of the year', level: 2 },
  {
    text: 'Revenue rose by 9.4 percent to 6.81 million euros. The growth came from the TG-210 tide gauge, which replaced the TG-200 in March and made up 57 percent of all units sold. Sales of the SL-40 salinity logger fell short of the plan because the pressure housings of one supplier were delivered eleven weeks late.',
  },
  {
    text: 'The operating result was 0.74 million euros after 0.69 million the year before. The board proposes to pay a dividend of 1.20 euros a share and to carry the rest forward.',
  },
  { heading: 'Key figures', level: 2 },
  {
    table: [
      ['Figure', '2022', '2023', '2024'],
      ['Revenue (thousand euros)', '5,480', '6,225', '6,810'],
      ['Operating result (thousand euros)', '512', '690', '741'],
      ['Units sold', '1,310', '1,522', '1,684'],
      ['Employees', '33', '35', '38'],
      ['Warranty cases per 1,000 units', '14', '11', '8'],
    ],
  },
  { pageBreak: true },
  { heading: 'Markets', level: 2 },
  {
    text: 'Harbour authorities remain the largest group of customers with 61 percent of revenue. Research institutes follow with 24 percent, and offshore wind operators, a market entered in 2022, with 15 percent. The five largest customers account for 38 percent of revenue; none of them for more than 11 percent.',
  },
  { heading: 'Risks', level: 2 },
  {
    text: 'The supply of titanium pressure housings depends on two foundries. A framework contract with Nordgiess Foundry secures 900 housings a year until the end of 2026. Exchange rates matter little, since 92 percent of purchases and 88 percent of sales are in euros.',
  },
  {
    list: [
      'Supply of pressure housings: reduced by the framework contract.',
      'Loss of key staff: the firmware team consists of four people.',
      'Product liability: insured up to five million euros per case.',
    ],
  },
  { heading: 'Outlook', level: 2 },
  {
    text: 'For 2025 the board expects revenue between 7.1 and 7.4 million euros. Investment of 0.6 million euros is planned, half of it for the second calibration tank. The gauge with radar sensor, known as TG-300, is expected to reach field trials in the autumn.',
  },
  { pageBreak: true },
  { heading: 'Responsibility statement', level: 2 },
  {
    text: 'To the best of our knowledge the figures in this report give a true and fair view of the company. The accounts were audited by Pell and Partners without objections.',
  },
];

/** The manual of the product that the other samples mention. */
export const gaugeManual: readonly Block[] = [
  { heading: 'TG-210 Tide Gauge: Installation Manual', level: 1 },
  {
    text: 'This manual describes how to mount, connect and calibrate the TG-210 tide gauge. Read it before you open the housing. Work on quay walls needs a second person and a life jacket.',
  },
  { heading: 'Scope of delivery', level: 2 },
  {
    list: [
      'Gauge head with sealed electronics',
      'Stainless steel stilling well, two pieces of 1.5 m',
      'Sensor cable of 15 m with vented core',
      'Mounting bracket with four M10 bolts',
      'Desiccant cartridge and spare O-rings',
    ],
  },
  { heading: 'Mounting', level: 2 },
  {
    text: 'Choose a place with at least 40 cm of water at the lowest tide and without the wash of propellers. The stilling well must stand upright within two degrees.',
  },
  {
    list: [
      'Drill four holes of 12 mm using the bracket as a template.',
      'Fasten the bracket with 45 newton metres.',
      'Join the two pieces of the stilling well and hang them into the bracket.',
      'Lower the sensor until the mark on the cable meets the upper edge.',
    ],
    ordered: true,
  },
  { pageBreak: true },
  { heading: 'Electrical connection', level: 2 },
  {
    text: 'The gauge runs on 9 to 30 volts of direct current and draws 35 milliamperes on average. Data leaves the gauge by RS-485 or by the optional radio module.',
  },
  {
    table: [
      ['Wire', 'Signal', 'Remark'],
      ['Red', 'Supply +', '9 to 30 V DC, fuse 500 mA'],
      ['Black', 'Supply -', 'Do not connect to the shield'],
      ['Green', 'RS-485 A', 'Terminate with 120 ohms at the end'],
      ['White', 'RS-485 B', 'Terminate with 120 ohms at the end'],
      ['Bare', 'Shield', 'Earth on one side only'],
    ],
  },
  { heading: 'Calibration', level: 2 },
  {
    text: 'The gauge is calibrated before delivery. Check the zero point after mounting: read the tide staff three times at intervals of five minutes, enter the mean, and repeat when the difference exceeds 8 millimetres. Replace the desiccant cartridge every twelve months, since moisture in the vented cable shifts the zero point.',
  },
  { heading: 'Faults', level: 2 },
  {
    text: 'A red lamp that blinks twice means a broken sensor cable; three times, a supply below 9 volts. If readings drift by more than one centimetre a day, dry the vented core with the pump kit PK-2 and calibrate again.',
  },
];

/** What the protected sample holds; no reader gets to see it. */
export const protectedMinutes: readonly Block[] = [
  { heading: 'Minutes of the board, closed session', level: 1 },
  {
    text: 'This file is protected by a password on purpose. A pipeline that reads it must report the document as encrypted and go on with the others.',
  },
];

/** A contract between the company and its supplier. */
export const supplyContract: readonly Block[] = [
  { heading: 'Framework Supply Contract', level: 1 },
  {
    text: 'between Brackwater Instruments Ltd, Quay Street 4, Port Ellery (the Buyer) and Nordgiess Foundry, Am Werft 17, Nordhafen (the Supplier), concluded on 12 February 2024.',
  },
  { heading: '1. Subject', level: 2 },
  {
    text: 'The Supplier manufactures titanium pressure housings according to drawing BW-1187 revision D and delivers them in lots of at least 75 pieces. The Buyer takes 900 housings in each calendar year until 31 December 2026.',
  },
  { heading: '2. Prices', level: 2 },
  {
    table: [
      ['Quantity per lot', 'Price per piece', 'Delivery time'],
      ['75 to 149', '184.00 EUR', '8 weeks'],
      ['150 to 299', '171.50 EUR', '9 weeks'],
      ['300 and more', '163.00 EUR', '11 weeks'],
    ],
  },
  {
    text: 'Prices follow the index for titanium sponge when it moves by more than 12 percent against the value of January 2024.',
  },
  { heading: '3. Late delivery', level: 2 },
  {
    text: 'For each full week of delay the Supplier pays a penalty of 0.8 percent of the value of the delayed lot, at most 8 percent. After six weeks the Buyer may withdraw from the order concerned.',
  },
  { heading: '4. Quality', level: 2 },
  {
    list: [
      'Every housing is tested at 60 bar for ten minutes.',
      'A test report accompanies each lot.',
      'The Buyer reports visible defects within ten working days.',
      'The warranty period is 36 months from delivery.',
    ],
    ordered: true,
  },
  { heading: '5. Termination', level: 2 },
  {
    text: 'Either party may terminate the contract with a notice of six months to the end of a quarter. The right to terminate for good cause is not affected.',
  },
  { link: 'Drawing BW-1187 in the supplier portal', url: 'https://portal.example.com/drawings/BW-1187' },
];

/** Minutes of a technical meeting. */
export const designReview: readonly Block[] = [
  { heading: 'Design Review TG-300: Minutes', level: 1 },
  { text: 'Date: 9 October 2024. Present: Bob (chair), Ingrid, Tomas, Yusuf. Absent with apologies: Marta.' },
  { heading: 'Radar sensor', level: 2 },
  {
    text: 'Tomas presented the measurements of the 80 GHz radar sensor in the wave tank. The standard deviation is 1.9 millimetres in calm water and 4.2 millimetres with waves of 30 centimetres. Foam on the surface raises it to 9 millimetres, which misses the requirement of 6 millimetres.',
  },
  { heading: 'Decisions', level: 2 },
  {
    list: [
      'The antenna is lowered by 12 centimetres to avoid reflections from the bracket.',
      'Firmware averages over 40 seconds instead of 20.',
      'The housing stays in aluminium; titanium is not needed above the water.',
    ],
  },
  { heading: 'Actions', level: 2 },
  {
    table: [
      ['Action', 'Who', 'Until'],
      ['Repeat the foam test with the lowered antenna', 'Tomas', '30 October 2024'],
      ['Filter for outliers in firmware branch radar', 'Yusuf', '6 November 2024'],
      ['Quotation for 20 antennas', 'Ingrid', '23 October 2024'],
    ],
  },
  { text: 'The next review takes place on 13 November 2024 in the calibration hall.' },
];
