/** The DoclingDocument version that is written. Readers accept any older minor version of the same major version. */
export const documentVersion = '1.10.0';
