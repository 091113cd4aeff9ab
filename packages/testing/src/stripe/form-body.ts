/** Parameters of a request: the library encodes them as a form with brackets. */
export interface FormParameters {
  [name: string]: FormValue
}
export type FormValue = string | FormParameters

/** Decodes `a[b]=1&c[0]=2`. Arrays become objects with numbers as keys. */
export function decodeForm(text: string): FormParameters {
  const root: FormParameters = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[|\]/).filter((part, i) => i === 0 || part !== '')
    let target = root
    for (const part of path.slice(0, -1)) {
      const next = target[part]
      target = typeof next === 'object' ? next : (target[part] = {})
    }
    target[path.at(-1) as string] = value
  }
  return root
}

/** Returns the values of an encoded array. */
export function readList(value: FormValue | undefined): string[] {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : Object.values(value).filter((each) => typeof each === 'string')
}

export function readText(value: FormValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Returns an encoded object of texts: metadata. */
export function readTexts(value: FormValue | undefined): Record<string, string> {
  if (value === undefined || typeof value === 'string') return {}
  return Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}
