/** The password that Excel uses to protect a workbook without a password. Excel opens such files without asking. */
export const excelDefaultPassword = 'VelvetSweatshop';

/** Returns the passwords to try, in this order. */
export function listPasswords(value: string | undefined): string[] {
  return value === undefined ? [excelDefaultPassword] : [value, excelDefaultPassword];
}
