import type { PiiKind } from '../../operators/pii/kinds';
import type { Labelled } from './personal-data';

/**
 * 153 sentences in German, French and English as people write them: {kind|passage} is personal data, everything else is not. They were
 * written before the rules had been tried on them. Numbers are invented or published as examples. Postal addresses are no kind of the
 * operator; they are in the sentences as what must not be taken for something else.
 */
const sentences = `
Sie erreichen mich tagsüber unter {phone|030 901820} oder per Mail an {email|k.lehmann@stadtwerke-nord.example}.
Bitte rufen Sie Frau Özdemir zurück: {phone|0176 23456789}.
Meine neue Handynummer lautet {phone|+49 151 23456789}, die alte gilt nicht mehr.
Durchwahl {phone|+49 (0)89 636-48018}, montags bis donnerstags.
Fax: {phone|0711/2063-1234}
Telefonisch: {phone|0043 1 58858-0} (Wien)
Mobil {phone|+43 664 1234567}
Tel.-Nr. {phone|044 668 18 00}, Zürich
Büro Basel, {phone|+41 61 267 81 81}, Empfang.
Notfallkontakt: Vater, {phone|0170/7654321}
Rufnummer des Antragstellers: {phone|05251 606-0}
Ruf mich an unter {phone|0151-23456789}!
Appelez le service client au {phone|01 42 68 53 00} avant 18 heures.
Mon portable : {phone|06 12 34 56 78}.
Tél. {phone|+33 1 53 71 20 00} – fax {phone|+33 1 53 71 20 01}
Joignable au {phone|+32 2 555 12 12} (Bruxelles) ou par courriel : {email|accueil@mairie-lille.example}
Numéro de téléphone du patient : {phone|07.81.23.45.67}
Vous pouvez me contacter au {phone|0033 6 12 34 56 78}.
Contact : M. Dubois ({phone|04 91 55 11 11})
Téléphone fixe: {phone|03 88 60 90 90}; portable: {phone|06-98-76-54-32}
Give me a ring on {phone|020 7946 0958} after six.
Call {phone|(212) 555-2368} and ask for Dana.
Her cell is {phone|415-555-2671} but she rarely picks up.
Phone: {phone|+44 20 7946 0018} ext. 12
Text me at {phone|+1 650 253 0000}.
Mobile no. {phone|07700 900123}
Toll free: {phone|+1-800-692-7753}
Contact the registrar on {phone|+353 1 896 1000}.
WhatsApp {phone|+34 612 34 56 78}
You can reach Priya at {phone|+91 98765 43210} during the night shift.
Schreiben Sie an {email|anna-lena.groß@bücher.example}.
Antworten bitte nur an {email|buchhaltung+rechnung@mueller-soehne.example}, nicht an den Absender.
Kopie: <{email|p.hofer@uni-graz.example}>; <{email|m.hofer@uni-graz.example}>
Mail an {email|Thomas.Maier@example.de}!
Écrivez à {email|jean-françois.petit@exemple.fr}, il répondra.
Courriel : {email|secretariat@ecole-ste-anne.example}.
Adresse e-mail du destinataire: «{email|c.moreau@laposte.example}»
Forward it to {email|ops_team@mail.eu.example.com} please.
Send your CV (PDF) to {email|jobs@example.co.uk}.
mailto:{email|help@example.org}?subject=Refund
From: "Lee, Kim" <{email|kim.lee@example.com}>
My address is {email|x@y.example}, really.
Login {email|O'Connor@example.ie} was locked.
Bitte überweisen Sie auf {iban|DE44 5001 0517 5407 3249 31} bis Monatsende.
IBAN: {iban|DE44500105175407324931}, BIC INGDDEFFXXX
Kontoinhaber Maria Huber, {iban|AT61 1904 3002 3457 3201}
Die Miete geht auf {iban|CH93 0076 2011 6238 5295 7}.
Rückzahlung an IBAN {iban|DE44-5001-0517-5407-3249-31}
iban {iban|de44 5001 0517 5407 3249 31} (klein geschrieben)
Virement sur le compte {iban|FR14 2004 1010 0505 0001 3M02 606}.
RIB : {iban|FR1420041010050500013M02606}
Compte luxembourgeois {iban|LU28 0019 4006 4475 0000}
Veuillez créditer {iban|BE68 5390 0754 7034}, communication 090/9337/55493.
Pay into {iban|GB82 WEST 1234 5698 7654 32} by Friday.
Refunds go to {iban|NL91ABNA0417164300} only.
Beneficiary account: {iban|IT60 X054 2811 1010 0000 0123 456}
Account {iban|ES91 2100 0418 4502 0005 1332} belongs to the landlord.
IBAN{iban|DE44500105175407324931}BIC
Die Karte {credit_card|4556 7375 8689 9855} wurde gesperrt.
Kreditkarte (Mastercard): {credit_card|5200-8282-8282-8210}, gültig bis 04/29
Amex {credit_card|3782 822463 10005}, Prüfziffer folgt telefonisch.
Abbuchung von {credit_card|4970111111111111} ist fehlgeschlagen.
Carte bancaire n° {credit_card|4970 1111 1111 1111}, expire le 09/27.
Paiement par carte {credit_card|5200828282828210} refusé
Numéro de carte : {credit_card|6771 7944 5432 1098 5}
Card on file: {credit_card|6011 1111 1111 1117}.
He read out {credit_card|3566 0020 2036 0505} over the phone.
Visa {credit_card|4556.7375.8689.9855} exp 11/28
Charge {credit_card|378282246310005} please.
Steuer-ID {national_id|26 571 403 869}, Finanzamt Köln-Mitte
Meine steuerliche Identifikationsnummer ist {national_id|26575395045}.
IdNr.: {national_id|26 576 194 864}
AHV-Nr. {national_id|756.9217.0474.80}
Die AHV-Nummer lautet {national_id|7569217047480}.
Numéro de sécurité sociale : {national_id|1 85 05 78 006 084 91}
NIR {national_id|269054958815780}
N° SS {national_id|2 94 03 75 120 005 91}
Numéro de registre national : {national_id|85.07.30-033.28}
Registre national {national_id|93.05.18-223.61}
NHS number {national_id|943 476 5919}
Her NI number is {national_id|AB 12 34 56 C}.
National Insurance: {national_id|JG103759A}
SSN {national_id|219-09-9999} on the W-4
Social security no. {national_id|457 55 5462}
DNI {national_id|12345678Z} del titular
NIE {national_id|X-1234567-L}
geb. {date_of_birth|12.03.1984} in Rosenheim
Geburtsdatum: {date_of_birth|3. Mai 1979}
Die Patientin, geboren am {date_of_birth|01.01.1950}, klagt über Schwindel.
Herr Weiß (* {date_of_birth|17.08.1991}) wohnt in Ulm.
Geb.-Datum {date_of_birth|05.11.2001}
née le {date_of_birth|14 juillet 1968} à Lyon
Date de naissance : {date_of_birth|02/09/1995}
né à Metz le {date_of_birth|3 mars 1947}
Naissance: {date_of_birth|1er avril 1988}
DOB {date_of_birth|1987-06-05}
Born {date_of_birth|March 3, 1990} in Leeds
Date of birth (dd/mm/yyyy): {date_of_birth|23/11/1962}
She was born in Cork on {date_of_birth|9 October 1973}.
Birthday: {date_of_birth|12 Dec 1999}
Zugriff von {ip_address|84.137.22.19} um 03:12 Uhr
Die Anmeldung erfolgte über {ip_address|2003:e5:bf12:4c00:9d3a:11ff:fe20:77aa}.
Connexion depuis {ip_address|90.84.12.250} refusée
Adresse IP : {ip_address|192.168.178.23}
Blocked {ip_address|203.0.113.77} after five attempts.
Client {ip_address|2001:db8::8a2e:370:7334} timed out
User agent and {ip_address|10.20.30.40}:51514 were logged
Rechnung Nr. 2024-0301-4471 vom 12.03.2024 über 1.234,56 Euro
Ihr Zeichen 030-901820-A, unser Zeichen 7/2024
Bestellnummer 4711 0815 2024 001, Lieferung in KW 32
Die Postleitzahl 80331 und die Hausnummer 12 fehlen.
Lindenstraße 14a, 10969 Berlin
Aktenzeichen 12 O 345/23, LG Hamburg
Das Gerät mit der Seriennummer 356938035643809 ist defekt.
EAN 4006381333931, Preis 3,99
Maße 120 x 80 x 75, Gewicht 23,5 kg
Messwerte: 12.5 13.1 12.9 14.0 13.7
Der Zug 4711 fährt um 10:25:30 von Gleis 12
Version 10.4.2.1 behebt den Fehler.
Abschnitt 3.2.1.4 beschreibt das Verfahren.
DE123456789 ist die Umsatzsteuer-Identifikationsnummer.
Handelsregister HRB 123456, Amtsgericht München
Das Gesetz trat am 01.01.1950 in Kraft.
Folgen Sie @stadtwerke auf Mastodon.
Le 14 juillet 1789, la Bastille fut prise.
Facture n° 20240315-0042 du 15/03/2024
SIRET 732 829 320 00074
SIREN 552 100 554, TVA FR40303265045
12 rue de la Paix, 75002 Paris
Code postal 69003, boîte postale 1234
La réunion dure de 10 h 30 à 12 h 45 en salle 2.14
Référence 01-23-45-67-89-AB du catalogue
Le budget est de 12 345 678,90 euros pour 2024
Article L. 121-4 du code de commerce
Entre 2010 et 2020, la population a crû de 1 234 567 habitants
ISBN 978-3-16-148410-0 was out of stock
Invoice 2024-11-000317 is due on 30/11/2024
Order #4556-7375-8689 shipped in 3 boxes
10 Downing Street, London SW1A 2AA
Tracking number 1Z999AA10123456784
The meeting ID is 836 1234 5678, passcode 991144
Release 2.14.0.1 fixes the crash
Latitude 48.137154, longitude 11.576124
The company was founded on 3 March 1990 in Leeds.
Scores were 12-15, 21-19, 15-13 and 9-11
Chapter 10.2.3.4, page 118
Use git@ with ssh://host/repo instead of user@localhost
MAC 00:1B:44:11:3A:B7 and port 8080
Part no. 415-555-26710-3 replaces 415-555-2671X
At 09:15:00.123 UTC, 1234567890 events were queued
Sizes 0.123 4567 8901 2345 in the log
Timestamp 1711111111111 and checksum 4556737586899856
File logo@2x.png was replaced
`;

/** The sentences with their labelled passages. */
export function listHeldBackTexts(): Labelled[] {
  return sentences
    .trim()
    .split('\n')
    .map((line) => ({
      text: line.replace(/\{\w+\|([^}]*)\}/g, '$1'),
      passages: [...line.matchAll(/\{(\w+)\|([^}]*)\}/g)].map(([, kind, text = '']) => ({
        kind: kind as PiiKind,
        text,
      })),
    }));
}
