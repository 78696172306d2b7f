/**
 * Parts of German compounds, in the form of the dictionary: nouns, and stems of verbs and adjectives that begin or end a compound.
 * Written for this project, not taken from another list. Words that are compounds themselves are left out if their parts are here.
 */
const nouns = `
  aal abend abenteuer abfall abgabe abgas ablage ablauf abort abrieb absatz abschied abschluss abschnitt abschrift absicht abstand abteil abteilung abwasser
  abzug achse acker adler adresse affe agentur ahorn akademie akte aktie aktion akku alarm album algorithmus alkohol allergie alltag alpen
  alphabet alter alternative altar ampel amsel analyse anfang anfrage angebot angel angestellte angriff angst anhang anker anlage anlass anleihe anleitung
  anliegen anmeldung annahme anordnung anpassung anruf anschlag anschluss anschrift ansicht anspruch anstalt anstieg anstrich anteil antenne antrag antrieb
  antwort anwalt anweisung anwender anwendung anzahl anzeige anzug apfel apotheke appell aquarium arbeit arbeiter arbeitnehmer arbeitgeber
  archiv argument armee armut aroma artikel arznei arzt asche aspekt assistent asyl atelier atem athlet atlas atmosphäre atom attest aufbau aufenthalt
  aufgabe auflage aufnahme aufruf aufsatz aufsicht auftrag auftritt aufwand aufzug auge auktion aufzeichnung ausbau ausbildung ausdruck ausfall ausflug
  ausfuhr ausgabe ausgang auskunft ausland auslöser ausnahme ausrüstung aussage ausschluss ausschuss außen aussicht ausstattung ausstellung austausch
  auster auswahl ausweis auszahlung auszug auto automat autor autorität
  baby bach bäcker backup bahn bahnhof bakterie balken balkon ball ballett ballon banane band bande bank banner barren basar basis batterie bauch bauer
  baum beamte beamter becher becken bedarf bedeutung bedienung bedingung beere befehl befund beginn begleitung begriff behälter behandlung beherbergung behinderung
  behörde beihilfe beirat beispiel beitrag bekenntnis belag belastung beleg belegung beleuchtung bemerkung benutzer benutzung benzin beobachtung beratung
  bereich bereitschaft berg bericht beruf beschaffung bescheid bescheinigung beschluss beschreibung beschwerde besitz besitzer besprechung bestand bestellung
  bestimmung besuch besucher beteiligung beton betrag betreuung betrieb betrug bett beute bevölkerung bewegung beweis bewerber bewerbung bewertung
  bewohner bezahlung bezirk bezug bezeichner bezeichnung bibel bibliothek biene bier bild bilanz bildschirm bildung binde bindung biologie birke birne bischof biss
  blase blatt blech blei bleistift blende blick blind blitz block blume blut blüte boden bogen bohne bohrer bombe bonus boot bord borke börse bote bottich
  brand brauch brauerei braut breite bremse brenner brennstoff brett brief brille broschüre brot brücke bruch bruder brunnen brust brut bube buch buche
  büchse buchstabe bucht buchung büchse bude budget bühne bund bündel bündnis burg bürge bürger bürgschaft büro bürste bus busch butter byte
  cache camp chance chaos charakter chef chemie chip chor christ chrom client cloud code computer container
  dach damm dampf dank darlehen darm darstellung datei daten datum dauer daumen debatte deck decke deckel deckung definition degen deich demokratie denkmal
  depot design deutung dezember diagnose diagramm dialog diamant dichtung dieb diebstahl diele diener dienst diesel differenz ding diplom direktor diskussion
  distanz disziplin dokument dokumentation dolmetscher dom donner doppel dorf dorn dose draht drama dreck drehung dreieck drohne droge druck drucker dübel
  duft dünger dunst durchschnitt durst dusche düse
  ebbe ebene echo ecke effekt effizienz eigentum eigentümer eigenschaft eimer einfahrt einfuhr einfluss einführung eingabe eingang eingriff einheit
  einkauf einkommen einkünfte einladung einlage einleitung einnahme einrichtung einsatz einschätzung einschränkung einsicht einstellung eintrag eintritt einwand
  einwilligung einwohner einzahlung einzel einzug eisen elefant element elektriker elektro elektronik eltern emission empfang empfänger empfehlung energie engel
  engpass enkel ensemble entdeckung entfernung entgelt entladung entlassung entlastung entschädigung entscheidung entsorgung entwässerung entwickler
  entwicklung entwurf entzündung erbe erbse erde ereignis erfahrung erfassung erfinder erfindung erfolg erfüllung ergänzung ergebnis erhebung erhöhung
  erholung erinnerung erkältung erkennung erklärung erkrankung erlaubnis erlebnis ermittlung ernährung erneuerung ernte eröffnung ersatz erscheinung
  erstattung ertrag erwachsene erweiterung erwerb erzähler erzähl erzählung erzeuger erzeugnis erzeugung erzieher erziehung esel essen etage etat ethik etikett eule
  euro examen exemplar existenz experiment experte export express
  fabrik fach fachmann faden fahne fahrer fahrrad fahrt fahrzeug faktor fakultät fall falle falte familie fang farbe farn fasan fassade faser fass fassung fasten
  faust favorit feder fehler feier feiertag feige feile feind feld fell fels fenster ferien ferkel ferne fessel fest festival festung fett feuchte feuchtigkeit
  feuer feuerwehr fichte fieber figur filiale film filter finanz finanzen finger firma firmen fisch fischer fläche flachs flagge flamme flasche fleck fleisch fliege
  fließ flöte flotte flucht flug flügel flugzeug fluss flüssigkeit flut föhre folge folie förderung form formel format formular forscher forscherin forschung forst
  fortbildung fortschritt forum foto frachter fracht frage fragment fraktion frau freiheit freizeit fremd freude freund friede frieden friedhof frist front frosch
  frost frucht frühling frühstück fuchs fuge führer führung füllung fund fundament funk funktion furcht fürst fuß fußball futter
  gabe gabel galerie galle gang garage garantie garde garten gärtner gasse gast gasthaus gattung gebäude gebet gebiet gebirge gebrauch gebühr geburt gebüsch
  gedächtnis gedanke gedicht geduld gefahr gefälle gefängnis gefäß geflügel gefühl gegend gegenstand gegner gehalt gehäuse geheimnis gehirn gehör geist gelände
  gelb geld gelenk gemälde gemeinde gemeinschaft gemüse gemüt genehmigung general generation genosse genossenschaft genuss geologie geometrie gepäck gerät
  geräusch gerechtigkeit gericht gerste geruch gerüst gesamt gesang geschäft geschenk geschichte geschirr geschlecht geschmack geschoss geschwindigkeit
  gesellschaft gesetz gesicht gespräch gestalt gestaltung gestein gestell gesundheit getränk getreide getriebe gewächs gewähr gewalt gewand gewässer gewebe gewehr gewerbe
  gewerkschaft gewicht gewinn gewissen gewitter gewohnheit gewölbe gift gips gitarre gitter glanz glas glaube gläubiger gleichung gleis gletscher glied glocke
  glück gold golf gott grab graben grad graf grafik gramm granit gras grenze griff grill grippe größe großeltern grube gruft grund gruppe gruß gummi gurke gurt
  gürtel gut gutachten gutachter güte güter gymnasium
  haar hafen hafer haft haftung hagel hahn haken halle hals haltung hammer hand handel händler handlung handwerk handwerker handy hang hardware harn harz hase
  haube haufen haupt hauptstadt haus haushalt haut hebel hecht hecke heer heft heide heiler heimat heirat heizung heiz held helfer helm hemd hengst
  herbst herd herde hering herkunft herr herrschaft hersteller herstellung herz heu hilfe himmel hinweis hirsch hirte historie hitze hobel hochschule hochwasser
  hochzeit höhe höhle holz honig honorar horizont hormon horn hose hotel hubschrauber huf hüfte hügel huhn hülle hülse humor hund hunger hupe hürde hut hütte
  hygiene
  idee igel image immobilie impfstoff impfung import impuls index indikator industrie infektion informatik information ingenieur inhaber inhalt initiative
  inland insekt insel instanz institut instrument integration intelligenz interesse internet interview inventar investition investor isolierung
  jacke jagd jäger jahr jahrhundert januar jazz jubiläum jugend jugendliche juli juni jurist jury juwel
  kabel kabine käfer kaffee käfig kaiser kajüte kakao kalb kalender kaliber kalk kalorie kälte kamera kamin kamm kammer kampagne kampf kämpfer kanal kandidat kante
  kanton kanzler kanzlei kapazität kapelle kapital kapitän kapitel kappe karte kartoffel karton karriere käse kasse kassette kasten katalog katastrophe kategorie
  kater katze kauf käufer kegel kehle keil keim keller kellner kennung kenntnis kern kerze kessel kette kiefer kies kind kinn kino kiosk kirche kirsche kissen
  kiste klage kläger klammer klang klappe klasse klassifikation klausel klavier kleber klee kleid kleidung klima klinge klingel klinik klippe kloster klub kluft
  knabe knecht knie knoblauch knochen knopf knospe knoten koalition koch kode koffer kohl kohle kolben kollege kollektion kolonie kombination komfort komma
  kommando kommentar kommission kommode kommune kommunikation komödie komponente komponist kompost kompressor kondensator konferenz konflikt kongress könig
  konkurrenz konsole konstruktion konsum kontakt konten konto kontrolle konzept konzern konzert konzession kopf kopie koppel korb korn körper korrektur
  korrosion kosten kost kraft kragen kralle kran kranken kranke krankheit kraut kredit kreditor kreide kreis kreuz kreuzung krieg krieger krise kristall kritik krone
  küche kuchen küchen kugel kuh kühler kühlung kultur kunde kundin kündigung kunst künstler kupfer kuppel kupplung kur kurs kurve küste kutsche kutter
  labor lachs lack laden ladung lage lager lähmung laie lamm lampe land landschaft landung landwirt landwirtschaft länge lappen lärm laser last lastwagen
  laterne latte laub lauf läufer laufwerk laune laut lavendel lawine leben lebensmittel leber leck leder legende legierung lehre lehrer lehrerin lehrling leib leiche
  leid leim leine leinwand leistung leiter leitung lektion lektüre lenkung lernende leser lesung leuchte leuchtturm leute lexikon licht liebe lieferant
  lieferung lied linde linie link linse lippe liste liter literatur lizenz lob loch löffel logik logistik lohn lokal los lösung lotse löwe luchs lücke luft lüfter lüftung
  lunge lupe lust luxus
  macht mädchen magazin magen magnet mahl mahnung mais makler malerei maler management mandat mandant mangel mann mannschaft mantel mappe märchen marine marke
  marketing markierung markt marmor marsch maschine maske maß masse maßnahme mast material mathematik matratze matrix matrose matte mauer maul maus mechanik
  medaille medien medikament medium medizin meer mehl mehrheit mehrwert meile meinung meister meldung melodie memoiren menge mensch menü merkblatt merkmal messe messer
  messung metall meteor meter methode metzger mieter miete migration milch militär million mimik mine mineral minister ministerium minute mischung missbrauch
  mission mitarbeiter mitbestimmung mitglied mitgliedschaft mittag mitte mitteilung mittel mitternacht mittwoch möbel mode modell modem modul molke moment monat
  monitor montag montage moor moos moral mord morgen motiv motor motte möwe müll müller mund mündung münze muschel museum musik musiker muskel muster mut
  mutter mütze mythos
  nabel nachbar nachfrage nachricht nachlass nachmittag nachteil nachtrag nachweis nacht nadel nagel nahrung naht name namen narbe nase nation natur nebel neffe neigung nerv
  nest nettto netz netzwerk neuigkeit niederlage niederlassung niere niveau nobel nonne norden norm notar note notiz notfall november nudel null nummer nuss nutzen
  nutzer nutzung
  oase oberfläche oberst objekt obst ochse ofen offizier ohr oktober öl oliven olive onkel oper operation operator opfer optik option orchester orden ordner ordnung organ
  organisation orgel orkan osten ostern otter ozean
  paar pacht pächter packung paket palast panne papier papst parade paragraph park parkplatz parlament partei partie partner partnerschaft party pass passage
  passagier passwort pastor pate patent patient pause pegel pein pelz pendel pendler pension periode person personal perspektive pest pfad pfand pfanne pfarrer pfeffer
  pfeife pfeil pfeiler pferd pflanze pflaster pflaume pflege pfleger pflicht pflug pfosten phänomen phase philosophie physik pilger pille pilot pilz pinsel pirat
  piste plage plakat plan planer planet planung plastik platte platz plenum politik politiker polizei polizist pollen polster pore portal porto porträt porzellan position
  post posten potential potenzial praktikum praktikant praxis prämie präsenz präsident predigt preis premiere presse priester prinz prinzip priorität privileg probe problem
  produkt produktion produzent professor profil prognose programm programmierer projekt promotion propeller prospekt protein protest protokoll provinz provision
  prozent prozess prozessor prüfer prüfung psychologie publikum puffer pulver pumpe punkt puppe putz pyramide
  quadrat qualität qualle qualm quantität quartal quartier quarz quelle quittung quote
  rabatt rache rachen rad radar radio radius rahmen rakete rampe rand rang ranke rasen rasse raster rate rathaus ratte raub rauch raum raupe rausch reaktion reaktor
  rebe rechner rechnung recht rechte rede redaktion reduktion reederei referat reform regal regel regelung regen regie regierung regime region register reich reichtum reife reifen reihe
  reihenfolge reim reinigung reis reise reiz reiter reklame rekord relais relation religion rendite rennen rente reparatur reporter republik reserve reservoir
  respekt rest restaurant resultat rettung revision revolution rezept rhythmus richter richtlinie richtung riegel riemen riese rind rinde ring rippe risiko riss
  ritter ritual robbe roboter rock roggen rohr rohstoff rolle roman rose rost rotor route router routine rücken rückgabe rückgang rücklage rückseite rücktritt
  ruder ruf ruhe ruhm ruhestand ruine rumpf runde rundgang rutsche
  saal saat sache sachse sack saft säge saison sakrament saison salat salbe saldo salz same sammler sammlung samstag samt sand sänger sanierung sanktion sarg satellit
  sattel satz satzung säugling säule säure schach schacht schaden schaf schafe schaft schale schall schalter schaltung scham schanze schatten schatz schätzung schau schaufel
  schaum schauspieler scheck scheibe schein scheitel schema schemel schenkel scherz scheune schicht schicksal schiedsrichter schiene schiff schild schilf schilling schimmel schinken schirm
  schlacht schlaf schlag schlamm schlange schlauch schleier schleife schleim schleuse schlitten schloss schlosser schlucht schlüssel schluss schmerz schmied
  schmuck schmutz schnabel schnee schneider schnitt schnur schnupfen schock schokolade scholle schornstein schoß schranke schrank schraube schreck schreiner schrei
  schrift schritt schrott schub schuh schuld schuldner schule schüler schülerin schulter schulung schuppen schüssel schuss schutt schutz schütze schwalbe
  schwamm schwan schwangerschaft schwanz schwarm schwefel schwein schweiß schwelle schwert schwester schwimmer schwingung segel segen segment seele seemann
  seife seil seite sekretär sekt sektion sektor sekunde selbst seminar senat sender sendung senf senior sensor september serie serum server service sessel sicherheit sicherung
  sicht siedlung sieg sieger signal silbe silber sinn sitte situation sitz sitzung skala skandal skelett skizze sklave socke sockel software sohle sohn soldat sommer
  sonde sonne sonntag sorge sorte spalte spange spannung spargel spatz speck speicher speicherung speise spende sperre spesen spiegel spiel spieler spieß spion spindel
  spinne spirale spital spitze sport sportler sprache sprecher sprit spritze spruch sprung spule spur staat staats stab stadion stadt staffel stahl stall stamm stand ständer
  standort standard stange stapel stark start statik station statistik statue status statut stau staub staude steg stein stelle stellung stempel steppe stern steuer
  stich stichprobe stiefel stiel stier stift stiftung stil stille stimme stimmung stipendium stirn stock stoff stollen stolz störung stoß strafe strahl strahlung strand strang straße
  strategie strauch strauß strecke streik streit strich stroh strom strömung strophe struktur strumpf stube stück student studentin studie studium stufe stuhl stunde sturm
  sturz stute stütze subjekt substanz subvention suche süden sumpf suppe symbol symptom syndrom synthese system szene
  tabak tabelle tablette tafel takt taktik talent talg tank tanne tante tanz tapete tarif tasche tasse tastatur taste tätigkeit tatsache taube taucher tausch taxi team
  technik techniker technologie teer teich teig teilhaber teilnahme teilnehmer teilung telefon teller temperatur tempo tendenz tennis teppich termin terminal terrasse territorium terror test testament
  teufel text theater thema theorie therapie thermometer these thron tiefe tiger tinte tipp tisch tischler titel tochter tode tonne topf torf torte tourist tourismus touristik tracht tradition
  träger tragik training traktor trainer träne transport traube trauer traum treffen treiber trend trennung treppe tresor treue tribüne trick trieb trinker tritt trocken trommel
  tropfen truhe trumpf trupp truppe tube tuch tugend tulpe tunnel turbine turm turnier typ
  übergabe übergang überholung überlauf übermittlung übernahme überprüfung überschuss übersicht überstunde übertragung überwachung überweisung übung ufer uhr umbau umfang umfeld umfrage
  umgang umgebung umlage umsatz umschlag umstand umwelt umzug unfall unglück universität unkosten unkraut unruhe unterhalt unterkunft unternehmen unternehmer unterricht unterschrift unterstützung
  untersuchung urin urkunde urlaub ursache ursprung urteil
  vakuum variable vater ventil ventilator verantwortung verarbeitung verband verbindung verbot verbrauch verbraucher verbrechen verbrecher verbreitung verbund verdacht verein vereinbarung verfahren
  verfall verfasser verfassung verfolgung verfügung vergabe vergleich vergnügen vergütung verhalten verhältnis verhandlung verkauf verkäufer verkehr verlag verlauf verletzung
  verlust vermieter vermittlung vermögen vermutung verordnung verpackung verpflegung verpflichtung verrat vers versammlung versand verschluss verschlüsselung versicherte versicherung version versorgung verspätung
  versuch verteidigung verteiler verteilung vertrag vertrauen vertreter vertretung vertrieb verwalter verwaltung verwandte verweis verwendung verzeichnis verzicht verzug vetter video vieh viereck
  viertel villa virus vitamin vogel volk voll vollmacht volumen vorbereitung vorfahrt vorgang vorgesetzte vorhang vorlage vorlesung vorrat vorschlag vorschrift vorsitz vorsorge vorstand vorteil vortrag
  waage wache wachs wachstum wächter wade waffe wagen wagnis wahl wähler wahn wahrheit währung wald wall walze wand wanderer wanderung wandel wange wanne wappen ware wärme warnung wartung warze
  wäsche wasser wechsel wecker weg weide wein weise weizen welle welt wende werbung werft werk werkzeug wert wesen wespe weste westen wette wetter wettbewerb wettkampf wicht wicklung widerruf
  widerspruch widerstand wiege wiese wild wille wimper wind windel winkel winter wippe wirbel wirkung wirt wirtschaft wissen wissenschaft wissenschaftler witwe witz woche wohl wohnung wolf wolke wolle wort wörterbuch wrack
  wunde wunder wunsch würde wurf würfel wurm wurst wurzel wüste wut
  abfrage absage beschäftigung bohrung charakteristik editor fahrplan fenster fundstück gegenwart geschirr hintergrund inhaltsverzeichnis instandhaltung instandsetzung kalibrierung kartei kasko klausur kodierung konfiguration kündigung layout leiste manager modi modus muschel nachtrag öffnung player prokura reader referenz sanierung skript stornierung tagung tide toilette transformation überschreitung verlängerung versetzung voreinstellung vordergrund vorgabe vorkehrung vorsicht vorverkauf wachstum wartung watt web zuwendung zuständigkeit
  zahl zahlung zähler zahn zange zapfen zaun zebra zehe zeichen zeichner zeichnung zeile zeit zeitung zelle zelt zement zensur zentrale zentrum zertifikat zettel zeuge zeugnis ziege ziegel ziel ziffer
  zimmer zink zinn zins zirkel zirkus zitat zitrone zoll zone zopf zorn zubehör zucht zucker zufall zug zugang zugabe zugriff zukunft zulage zulassung zunge zusage zusatz zuschlag zuschuss zustand zustimmung
   zuteilung zutritt zuwachs zwang zweck zweifel zweig zwerg zwiebel zwilling zylinder
`;

/** Stems of verbs and adjectives, and words for numbers and places, that come before a noun. */
const beginnings = `
  abreise abwehr alarm allgemein alt altstoff anbau back bade bagger basis bau bedien berufs bestell betreiber bett bezugs binnen blas bohr brenn bring brut dauer denk dienst direkt drei dreh druck
   edel ehren eigen einstell einzel elektro ersatz erst extra fach fahr falt fang fein fern fertig fest flach fließ flieg flüssig frei fremd frisch früh führ funk gebraucht gefrier gehör gemein gesamt gieß gleich groß grün grund halb
  halte haft hand haupt heil heim heiß heiz hoch hör höchst innen inhalts jung kalt kauf kenn kipp klein knapp koch kraft kühl kunst kurz lade land lang lauf lebens leer leicht lehr leit lern lese leucht liefer liege lösch lokal luft mager
  mal mehr meld merk mess miet mindest misch mittel montage moor näh nah neben nenn netto neu nieder nord not null nutz öffentlich offen online öko ost parallel park passiv pflege pfand plan post prüf putz quer rast raster rat rechen recht rein reit
  restwert rettungs roh rot rück ruf ruhe rund sammel satt schalt schau scheide schieb schlacht schlaf schleif schmier schmelz schneid schnell schräg schreib schul schütt schwer schwarz schweiß schwenk schwer schwimm seiten selbst sende sicht sieb silber sitz solar sonder sozial spann
  spar speise sperr spiel spitzen sprech spreng sprit spring spül stamm stand stark start stau steh steig stell steuer stich stör stoß streu streich such süd süß tages tank tast tauch tausch teil tief titel trage tief trenn trink trocken turn umwelt ur vereins verlade versand viel vize vorder wahl wander warm warn wart wasch wechsel weh wehr weiß weit
  welt wend werbe wert west wirk wohn wunsch zähl zahl zeichen zeig zentral ziel zier zieh zivil zoll zusatz zwei zweit zwölf web spezial dezimal mehrfach einfach tages tage hunde rinder kinder
`;

/** Short nouns, which count only beside a longer part. */
const short = `
  amt aue axt bad bär bau bein eid eis erb fee fuß gas hof hut kai kuh kur lob los moos mut not ohr öl ort ost pol rad rat ruf saal see süd tag tal tat tau tee teil tier tod ton tor tot tür typ uhr weg wut zug
`;

/** Endings that make adjectives and nouns of nouns: `wasserdicht`, `kostenfrei`. */
const endings = `
  abhängig arm artig bedingt bedürftig berechtigt betont bezogen dicht fähig fest förmig frei freundlich gebunden gemäß gerecht gesteuert haltig intern kundig lang leer los mäßig nah pflichtig reich schwach
  sicher spezifisch stark süchtig taub tauglich tüchtig übergreifend unabhängig verarbeitend voll weit wert wertig widrig wirksam würdig nehmer nehmerin geber geberin macher macherin leute kraft frau mann zeug werk wesen
  halter halterin träger trägerin inhaber inhaberin beauftragte beauftragter beauftragten betreiber anbieter steller stellerin leiter leiterin führer führerin schreiber schreiberin rechner leser melder messer geber
  höhe menge dauer gruppe kreis plan stelle leger löser zahler sucher
`;

const split = (words: string): string[] => words.trim().split(/\s+/);

export const germanParts = {
  nouns: split(nouns),
  beginnings: split(beginnings),
  short: split(short),
  endings: split(endings),
};
