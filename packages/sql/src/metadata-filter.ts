import type { Filter } from './list-query.ts'

/** Texts of a key of the filter. */
const valuesOfKey = 'jsonb_array_elements_text(f.value)'

/** A number written by JavaScript in PostgreSQL's notation; the longest double has 345 digits. */
const number = /^-?(0|[1-9]\d*)(\.\d+)?$/

/** A number with an exponent, as JavaScript and other languages write small ones. */
const numberWithExponent = /^-?\d+(\.\d+)?e[+-]?\d{1,3}$/i

/** Writes a number with an exponent without one, as PostgreSQL does. Returns other texts unchanged. */
export function writePlainNumber(text: string): string {
  if (text.length > 40 || !numberWithExponent.test(text)) return text
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(Number(text)))
  if (!parts) return text
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  const padded = digits.padEnd(point, '0')
  return sign + padded.slice(0, point) + (padded.length > point ? `.${padded.slice(point)}` : '')
}

/** Returns the texts of a value of the filter, and those of a number without its exponent. */
function listTexts(filterValue: unknown): string[] {
  const values = (Array.isArray(filterValue) ? filterValue : [filterValue]).map(String)
  return [...new Set(values.flatMap((text) => [text, writePlainNumber(text)]))]
}

/** Builds every JSON object with the key whose value reads as one of the texts. */
function buildJsonForms(key: string, values: readonly string[]): string[] {
  return values.flatMap((text) => {
    const isLiteral = text === 'true' || text === 'false' || (text.length <= 400 && number.test(text))
    const quoted = `{${JSON.stringify(key)}:${JSON.stringify(text)}}`
    return isLiteral ? [quoted, `{${JSON.stringify(key)}:${text}}`] : [quoted]
  })
}

/**
 * Creates a filter by metadata, compared as text; its parameters are `metadata` and `metadata_forms`. An index finds rows by the first key;
 * whether it is worthwhile depends on how many rows have the value.
 */
export function metadataFilter(column: string, filterValue: Readonly<Record<string, unknown>> | undefined): Filter {
  const texts = Object.entries(filterValue ?? {}).map(([key, value]) => [key, listTexts(value)] as const)
  const [first] = texts
  return {
    sql: `${column} <> '{}' and ${column} @> any(:metadata_forms::jsonb[]) and not exists (
      select 1 from jsonb_each(:metadata::jsonb) f where not coalesce((${column} ->> f.key) in (select ${valuesOfKey}), false))`,
    value: first && JSON.stringify(Object.fromEntries(texts)),
    extraValues: { metadata_forms: first && buildJsonForms(...first) },
    isPlanSensitive: true,
  }
}
