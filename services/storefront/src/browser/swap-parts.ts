/** Names of the live parts of a page: they are replaced when the server rendered them differently. */
const attribute = 'data-live'

/** Replaces the live parts of this page by those of another, except the ones that `keeps` names. Typed values of kept fields stay. */
export function swapParts(next: Document, keeps: (name: string, current: Element, replacement: Element) => boolean): void {
  for (const current of document.querySelectorAll(`[${attribute}]`)) {
    const name = current.getAttribute(attribute) ?? ''
    const replacement = next.querySelector(`[${attribute}="${name}"]`)
    if (!replacement || current.isEqualNode(replacement) || keeps(name, current, replacement)) continue
    const focused = current.contains(document.activeElement) ? document.activeElement?.id : undefined
    const typed = readValues(current)
    const imported = document.importNode(replacement, true)
    writeValues(imported, typed)
    current.replaceWith(imported)
    if (focused) document.getElementById(focused)?.focus()
  }
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
