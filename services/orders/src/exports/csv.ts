/** What spreadsheets take for the beginning of a formula. */
const formula = /^[=+\-@\t\r]/

/**
 * One line of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front: names come from buyers. Numbers
 * are no text, and stay as they are.
 */
export function csvLine(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

function cell(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
