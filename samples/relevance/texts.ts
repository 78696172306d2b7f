import type { priceList, slides } from '../plain-texts';
import type { Block } from '../texts';

/** The manual of an instrument, as a PDF of several pages. */
export const loggerManual: readonly Block[] = [
  { heading: 'SL-40 Salinity Logger: Operating Manual', level: 1 },
  {
    text: 'The SL-40 measures conductivity and temperature down to 200 metres and computes the salt content of the water. It works for 14 months on one pack of lithium cells when it takes a reading every ten minutes.',
  },
  { heading: 'Before the first dive', level: 2 },
  {
    list: [
      'Grease both sealing rings with silicone; never use mineral oil.',
      'Turn the end cap by hand until it touches; a tool damages the thread.',
      'Hold the magnet to the mark for three seconds. Two green flashes say that recording has begun.',
    ],
  },
  { pageBreak: true },
  { heading: 'Reading out the data', level: 2 },
  {
    text: 'Rinse the logger with fresh water and lay it on the reader BR-3. The program TideLink copies all values in about four minutes. The memory holds 520,000 readings; when it is full the oldest ones are kept and recording stops.',
  },
  { heading: 'Cleaning the cell', level: 2 },
  {
    text: 'Growth in the measuring cell makes the values too low. Fill the cell with household vinegar, wait for ten minutes, and rinse it. A brush would scratch the electrodes.',
  },
  { heading: 'Technical data', level: 2 },
  {
    table: [
      ['Property', 'Value'],
      ['Range of conductivity', '0 to 70 mS/cm'],
      ['Accuracy', '0.02 mS/cm'],
      ['Greatest depth', '200 m'],
      ['Weight in air', '640 g'],
      ['Spare battery pack', 'BP-19'],
    ],
  },
];

/** A procedure of the calibration laboratory. */
export const calibration: readonly Block[] = [
  { heading: 'Calibrating pressure gauges in the tank', level: 1 },
  {
    text: 'Every pressure gauge is compared with the reference column before delivery and every two years after. The laboratory is kept at 20 degrees; instruments stay there for a night before they are measured.',
  },
  { heading: 'Procedure', level: 2 },
  {
    list: [
      'Fill the column to ten levels, from 0.5 to 9.5 metres, rising and falling.',
      'Wait for three minutes at each level and note twenty readings.',
      'Compute offset and slope by least squares; hysteresis must stay below 2 millimetres.',
    ],
    ordered: true,
  },
  { heading: 'Certificate', level: 2 },
  {
    text: 'The certificate names the uncertainty of 1.4 millimetres (k = 2) and is signed by Teemu Lahti or his deputy. An instrument that misses the limit twice goes back to production with a red card.',
  },
];

/** A letter of application, to have something that is about a person. */
export const application: readonly Block[] = [
  { heading: 'Application as an electronics technician', level: 1 },
  {
    text: 'My name is Ngozi Adeyemi-Brandt. I have repaired radio and navigation equipment aboard fishing vessels for eleven years, first in Ålesund and since 2019 in Port Ellery.',
  },
  {
    text: 'I solder under the microscope, read circuit diagrams in three languages and hold the certificate for work at height. At Fjordtech I led the change from lead-acid to lithium batteries on 60 buoys.',
  },
  {
    text: 'I could begin on 1 June and would like to work four days a week. My salary expectation is 52,000 euros a year.',
  },
];

/** A contract in French. */
export const maintenance: readonly Block[] = [
  { heading: 'Contrat de maintenance des marégraphes', level: 1 },
  { heading: 'Article 1. Objet', level: 2 },
  {
    text: 'Le prestataire assure l’entretien de onze marégraphes le long de la côte, deux visites par an, et intervient en cas de panne dans les quarante-huit heures.',
  },
  { heading: 'Article 4. Prix', level: 2 },
  {
    text: 'Le forfait annuel s’élève à 27 600 euros hors taxes, payable en quatre fois. Les pièces détachées sont facturées en sus, au tarif en vigueur.',
  },
  { heading: 'Article 6. Durée et résiliation', level: 2 },
  {
    text: 'Le contrat est conclu pour trois ans et se renouvelle tacitement. Chaque partie peut le résilier par lettre recommandée, trois mois avant l’échéance. En cas de retard de plus de dix jours, une pénalité de 150 euros par jour est due.',
  },
];

/** A manual in German. */
export const radar: readonly Block[] = [
  { heading: 'Radarpegel RP-7: Bedienungsanleitung', level: 1 },
  {
    text: 'Der Radarpegel misst den Abstand zur Wasseroberfläche berührungslos. Er wird mindestens einen Meter über dem höchsten Wasserstand an einem Ausleger befestigt, der bei Sturm nicht schwingt.',
  },
  { heading: 'Einschalten', level: 2 },
  {
    text: 'Nach dem Anlegen der Versorgungsspannung von 24 Volt leuchtet die Anzeige blau. Halten Sie die Taste M fünf Sekunden lang gedrückt, um die Sprache zu wählen. Das Kennwort ab Werk lautet 0000 und muss geändert werden.',
  },
  { heading: 'Störungen', level: 2 },
  {
    table: [
      ['Anzeige', 'Ursache', 'Abhilfe'],
      ['F21', 'Kein Echo', 'Antenne reinigen, Spinnweben entfernen'],
      ['F22', 'Doppeltes Echo', 'Störechos ausblenden'],
      ['F35', 'Übertemperatur', 'Sonnendach anbringen'],
    ],
  },
];

/** The talk for new colleagues. */
export const onboarding: typeof slides = [
  {
    title: 'Welcome: your first week',
    points: [
      'Monday: keys, laptop and a tour with your sponsor',
      'Tuesday: safety briefing in the test hall, closed shoes needed',
      'Wednesday: a day at sea aboard the launch Tern',
    ],
    notes: 'Sponsors are chosen by Siobhan Kerrigan.',
  },
  {
    title: 'Who helps you',
    points: [
      'Service desk: 7000',
      'Human Resources: Pradeep Nair, room 2.11',
      'First aid: the red cabinet beside the lift',
    ],
    notes: 'The defibrillator hangs in the entrance of building B.',
  },
];

/** Parts by number, with prices. */
export const spareParts: typeof priceList = [
  {
    sheet: 'Spare parts',
    title: 'Spare parts 2025, net, in euros',
    rows: [
      ['Part', 'Description', 'Price', 'Valid from'],
      ['BP-19', 'Lithium battery pack for SL-40', 74, { date: '2025-01-01' }],
      ['OR-55-3', 'Sealing ring, nitrile, 55 by 3 mm', 2.4, { date: '2025-01-01' }],
      ['VC-30', 'Vented cable, 30 m', 212, { date: '2025-01-01' }],
      ['AN-868', 'Whip antenna, 868 MHz', 39, { date: '2025-02-01' }],
      ['H-62', 'Titanium pressure housing', 640, { date: '2024-07-01' }],
      ['BR-3', 'Reader with USB cable', 158, { date: '2025-01-01' }],
    ],
  },
];
