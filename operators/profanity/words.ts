/**
 * Swear words by language, in the folded form of `foldWord`. A star at the end matches any ending, one at the beginning any
 * beginning. The lists are short on purpose: words with a common harmless meaning are left to `words` of the configuration.
 */
export const profanities: Readonly<Record<string, readonly string[]>> = {
  en: [
    'fuck*', 'motherfuck*', 'shit', 'shits', 'shitty', 'shitting', 'bullshit*', 'bastard', 'bastards', 'bitch', 'bitches',
    'bitching', 'asshole*', 'arsehole*', 'dumbass*', 'jackass*', 'cunt*', 'wanker*', 'bollocks', 'twat', 'twats', 'dickhead*',
    'goddamn*', 'piss', 'pissed', 'slut', 'sluts', 'whore', 'whores', 'douchebag*', 'prick', 'pricks',
  ],
  de: [
    'scheiss*', 'arschloch*', 'arschlocher', 'arschgeige*', 'verfickt*', 'ficken', 'fick', 'gefickt', 'wichser*', 'fotze*', 'hurensohn*',
    'hure', 'huren', 'schlampe*', 'miststuck*', 'drecksau*', 'verpiss*', 'vollidiot*', 'schwanzlutscher*', 'bloder hund',
  ],
  fr: [
    'merde', 'merdes', 'merdique*', 'putain*', 'pute', 'putes', 'connard*', 'connasse*', 'salope*', 'salaud*', 'encule*', 'enfoire*',
    'bordel de merde', 'nique', 'niquer', 'batard*', 'couillon*', 'trou du cul', 'fils de pute',
  ],
  es: [
    'mierda*', 'puta', 'putas', 'puto', 'putos', 'hijo de puta', 'hijos de puta', 'gilipollas', 'cabron*', 'joder', 'jodido*', 'jodida*',
    'cono de', 'pendejo*', 'maricon*', 'chinga*', 'verga', 'carajo', 'culero*',
  ],
}; // prettier-ignore

/** The languages that have a list. */
export const profanityLanguages: readonly string[] = Object.keys(profanities);
