/** Places collected before the rules for places were changed, and not consulted during the change. */
export const laterPlaces = `
Münster | country=Germany
Muenster | country=Germany
Münster/Westf. | country=Germany

Munster | country=Ireland

St. Gallen | country=Switzerland
Sankt Gallen | country=Switzerland
Saint Gall | country=Switzerland

Sankt Johann | country=Austria
St. Johann | country=Austria

Mount Pleasant | country=United States
Mt. Pleasant | country=United States

Mount Vernon | country=United States
Mt Vernon | country=United States

Fort Worth | country=United States
Ft. Worth | country=United States

Fort Wayne | country=United States

Rothenburg ob der Tauber | country=Germany
Rothenburg o.d.T. | country=Germany
Rothenburg o. d. Tauber | country=Germany

Rottenburg am Neckar | country=Germany
Rottenburg a.N. | country=Germany

Stratford-upon-Avon | country=United Kingdom
Stratford on Avon | country=United Kingdom

Stratford | country=United Kingdom

Washington, D.C. | country=United States
Washington DC | country=United States
Washington | country=United States

State of Washington | country=United States

Ho Chi Minh City | country=Vietnam
Ho-Chi-Minh-Stadt | country=Vietnam
HCMC | country=Vietnam

Neustadt an der Weinstraße | country=Germany
Neustadt a. d. Weinstr. | country=Germany

Neustadt an der Aisch | country=Germany

Boulogne-sur-Mer | country=France
Boulogne s/ Mer | country=France

Boulogne-Billancourt | country=France

Quebec City | country=Canada
Québec City | country=Canada
Ville de Québec | country=Canada

Province of Quebec | country=Canada

Halle (Saale) | country=Germany
Halle/Saale | country=Germany
Halle a. d. Saale | country=Germany

Halle (Westfalen) | country=Germany
Halle/Westf. | country=Germany

Limburg an der Lahn | country=Germany
Limburg a.d. Lahn | country=Germany

Limburg | country=Netherlands

Building 7, Dock Road
Bldg. 7, Dock Rd.

Building 9, Dock Road

12 High Street, Leith
12 High St., Leith

21 High Street, Leith

Cape Town | country=South Africa
Capetown | country=South Africa

Cape Coast | country=Ghana

Nizhny Novgorod | country=Russia
Nizhni Novgorod | country=Russia

Veliky Novgorod | country=Russia

North York | country=Canada
N. York | country=Canada

North Bay | country=Canada
`;
