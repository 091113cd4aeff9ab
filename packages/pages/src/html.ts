import { hasVisibleCharacter } from '@quittance/contracts/display-name'

/** Markup that is inserted unescaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | string | number | null | undefined | false | readonly Piece[]

/** Renders a template: escapes values that are not markup; omits null, undefined and false. */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(strings.reduce((text, part, index) => text + written(values[index - 1]) + part))
}

/**
 * Renders a name chosen by a user as markup: isolates its writing direction, removes invisible and direction-changing characters, and
 * replaces a name without visible characters. New names with such characters are rejected; this covers older ones.
 */
export function isolate(name: string): Html {
  return html`<bdi>${shown(name)}</bdi>`
}

/** Like `isolate`, for places that accept text only, such as a title. */
export function shown(name: string): string {
  const visible = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  return hasVisibleCharacter(visible) ? visible : '(no name)'
}

function written(value: Piece): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(written).join('')
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
