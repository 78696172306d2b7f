/** Names of organisations, in the form of `labelled`. */
export const organisations = `
Harbour Board of Leith Ltd | city=Leith
Harbour Board of Leith Limited | city=Leith
The Harbour Board of Leith
HBL | city=Leith

Harbour Board of Hull Ltd | city=Hull
Harbour Board of Hull

Müller & Söhne GmbH | city=Bremen
Mueller und Soehne GmbH | city=Bremen
Müller & Söhne

Müller & Söhne KG | city=Kassel

International Pump Manufacturing Inc. | city=Tulsa
Intl. Pump Mfg. Inc.
International Pump Manufacturing Incorporated | city=Tulsa
IPM Inc.

National Pump Manufacturing Inc. | city=Tulsa

Acme Trading Company | vat=GB123456789
ACME Trading Co. | vat=GB123456789
Acme Trdaing Company

Acme Shipping Company | vat=GB987654321
Acme Shipping Co | vat=GB987654321

Northwind Traders S.A. | city=Porto
Northwind Traders SA | city=Porto
North Wind Traders

Southwind Traders S.A. | city=Porto

Kowalski i Synowie Sp. z o.o. | email=biuro@kowalski.example
Kowalski i Synowie | email=biuro@kowalski.example

Société Générale des Eaux
Societe Generale des Eaux SA
Générale des Eaux

Bank of Northern Ireland plc
The Bank of Northern Ireland
Bank of N. Ireland

Bank of Ireland plc

First National Bank
First National Bank Corp.

Second National Bank

Østergaard Møbler A/S | city=Aarhus
Ostergaard Mobler AS | city=Aarhus

3M Company
3M Co.
3M

Studio 54 Ltd
Studio 45 Ltd | city=York

Green Valley Farms LLC | phone=+1 555 0100
Green Valley Farm | phone=+1 555 0100

Green Valley Foods LLC | phone=+1 555 0199

Deutsche Luftfracht Aktiengesellschaft
Deutsche Luftfracht AG
Dt. Luftfracht AG

Deutsche Seefracht AG

Johnson Brothers Roofing
Johnson Bros Roofing
Johnson Bros. Roofing Ltd

Johnson Sisters Roofing

Whitaker, Holt & Partners LLP
Whitaker Holt and Partners LLP
Whitacker Holt & Partners

Whitaker & Holt Catering

St. Mary's Hospital | city=Cork
Saint Marys Hospital | city=Cork

St. Mark's Hospital | city=Cork

Fjord Energy Holding AS
Fjord Energy AS

Fjord Energy Trading AS

Universal Data Systems
UDS
Universal Data Systems Inc

United Delivery Services

Zenith Optics GmbH & Co. KG
Zenith Optics

Zenit Optik GmbH | city=Jena

Blue Ridge Timber | registration_number=778812
Blue Ridge Lumber | registration_number=778812

Blue Ridge Tiles | registration_number=440012

Café Central Betriebs GmbH
Cafe Central Betriebs-GmbH
Café Central

Café Centro

Pacific Rim Textiles Pty Ltd
Pacific Rim Textile Pty. Ltd.

Atlantic Rim Textiles Pty Ltd

Oak & Ivy Books
Oak and Ivy Books Ltd.

Oak & Ash Books

Heinrich Vogel Maschinenbau GmbH | iban=DE02120300000000202051
H. Vogel Maschinenbau GmbH | iban=DE02120300000000202051

Friedrich Vogel Maschinenbau GmbH | iban=DE75512108001245126199
`;
