/** Names of the live parts of a page: they are replaced when the server rendered them differently. */
const attribute = 'data-live'

/** Replaces the live parts of this page by those of another, except the ones that `keeps` names. Typed values of kept fields stay. */
export function swapParts(next: Document, keeps: (name: string, current: Element, replacement: Element) => boolean): void {
  for (const current of document.querySelectorAll<HTMLElement>(`[${attribute}]`)) {
    const name = current.getAttribute(attribute) ?? ''
    const replacement = next.querySelector<HTMLElement>(`[${attribute}="${name}"]`)
    if (!replacement || current.isEqualNode(replacement) || keeps(name, current, replacement)) continue
    const focused = current.contains(document.activeElement) ? document.activeElement : null
    const typed = readValues(current)
    const imported = document.importNode(replacement, true)
    writeValues(imported, typed)
    current.replaceWith(imported)
    if (focused) findSame(imported, focused)?.focus()
  }
}

/** Finds the element that takes the place of another: the one with its id or, for buttons and choices without one, its name and value. */
function findSame(part: HTMLElement, { id, tagName, attributes }: Element): HTMLElement | undefined {
  const read = (name: string) => attributes.getNamedItem(name)?.value ?? null
  return [part, ...part.querySelectorAll<HTMLElement>('*')].find((element) =>
    id ? element.id === id : element.tagName === tagName && ['name', 'value'].every((name) => element.getAttribute(name) === read(name)),
  )
}

type Field = HTMLInputElement | HTMLSelectElement

function findTextFields(part: Element): Field[] {
  return [...part.querySelectorAll<Field>('input:not([type=hidden]):not([type=radio]):not([type=checkbox]), select')]
}

function readValues(part: Element): Map<string, string> {
  return new Map(findTextFields(part).map(({ name, value }) => [name, value]))
}

/** What was typed while the reply was on its way is newer than the reply. */
function writeValues(part: Element, typed: ReadonlyMap<string, string>): void {
  for (const field of findTextFields(part)) {
    const value = typed.get(field.name)
    if (!value) continue
    if (field instanceof HTMLInputElement || [...field.options].some((option) => option.value === value)) field.value = value
  }
}
