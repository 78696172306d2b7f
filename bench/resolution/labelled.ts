import { organisations } from './organisations';
import { persons } from './persons';
import { laterPlaces } from './places-later';

/**
 * Names of things as documents spell them, created for this benchmark. A block is one thing; each line is one document: a
 * name, then properties after bars. Neighbouring blocks are often similar but different things.
 */
export const labelled: Readonly<Record<string, string>> = {
  Organisation: organisations,
  Person: persons,
  Product: `
RTX 3080 Graphics Card
RTX3080 Graphics Card
RTX 3080 graphics-card

RTX 3090 Graphics Card

Steel bolt M8 x 40 mm | ean=4006381333931
Steel bolt M8x40mm | ean=4006381333931
Bolt, steel, M8 x 40 mm

Steel bolt M8 x 50 mm | ean=4006381333948

Widget Pro
Widget-Pro
Widgte Pro

Widget Lite

Aluminium profile 20x20
Aluminum profile 20x20

Aluminium profile 20x40

Cordless drill PSR 18 V
Cordless Drill PSR18V
Drill, cordless, PSR 18 V

Cordless drill PSR 14 V

Office paper A4 80 g
Office Paper A4, 80g

Office paper A3 80 g

LaserJet Pro 400
Laser Jet Pro 400
LaserJet Pro 400 Printer

LaserJet Pro 500

Stainless screw 4 mm | sku=SCR-0400
Screw, stainless, 4 mm | sku=SCR-0400

Stainless screw 5 mm | sku=SCR-0500

Green tea 250 g
Grean tea 250 g

Black tea 250 g

Hex nut M6
Hexagonal nut M6

Hex nut M8

Model S100 pump
Pump Model S-100

Model S110 pump

Ethernet cable Cat6 2 m
Ethernet Cable CAT 6, 2m

Ethernet cable Cat6 5 m

Olive oil extra virgin 0.75 l
Extra virgin olive oil 0.75 l

Olive oil 0.75 l

ThinkPad X1 Carbon Gen 9
Thinkpad X1 Carbon Gen9

ThinkPad X1 Carbon Gen 10

Whiteboard marker blue
White board marker, blue

Whiteboard marker black
`,
  Place: `
Frankfurt am Main | country=Germany
Frankfurt a. M. | country=Germany
Frankfurt/Main | country=Germany

Frankfurt an der Oder | country=Germany

Saint Petersburg | country=Russia
St. Petersburg | country=Russia
St Petersburg | country=Russia

St. Petersburg | country=United States

Zürich | country=Switzerland
Zuerich | country=Switzerland
Zurich | country=Switzerland

Zug | country=Switzerland

São Paulo | country=Brazil
Sao Paulo | country=Brazil

São Pedro | country=Brazil

New York | country=United States
New York City | country=United States
NYC | country=United States

York | country=United Kingdom

Newcastle upon Tyne | country=United Kingdom
Newcastle-upon-Tyne | country=United Kingdom
Newcastle | country=United Kingdom

Newcastle-under-Lyme | country=United Kingdom

Pier 4, Leith
Pier 4 Leith

Pier 5, Leith

Kraków | country=Poland
Krakow | country=Poland

Krakovec | country=Poland

Los Angeles | country=United States
LA | country=United States
Los Angelos | country=United States

Los Alamos | country=United States

Den Haag | country=Netherlands
Haag | country=Netherlands

Port Elizabeth | country=South Africa
Pt. Elizabeth | country=South Africa

Port Edward | country=South Africa

Buenos Aires | country=Argentina
Buenos Ayres | country=Argentina

Rio de Janeiro | country=Brazil
Rio | country=Brazil

Rio Grande | country=Brazil
`,
  LaterPlace: laterPlaces,
  Invoice: `
INV-2024/001
INV 2024 001
inv-2024-1

INV-2024/010

PO-0012345
PO 12345
12345

PO-12346

R/77/2023
R-77-2023

R/7/72023

2024-000815
2024/815

2024-000851

AB-100-7
AB 100 7

AB-1007-2
`,
};
