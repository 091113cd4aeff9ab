import { z } from 'zod'

/**
 * Control and format characters (direction marks and overrides, zero-width characters) and line breaks: invisible, and able to disguise the
 * rest of the name.
 */
const invisibleControls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * Visible characters. `Default_Ignorable_Code_Point` covers most alphabetic characters and symbols that are not drawn, but not the empty
 * Braille pattern.
 */
const visibleCharacter = /(?=[^\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}\p{Co}]/u

/** Whether a name has at least one visible character: alphabetic, digit, punctuation or symbol. */
export function hasVisibleCharacter(name: string): boolean {
  return visibleCharacter.test(name)
}

/**
 * A name that users read when they decide whom to trust: of an application or an organization. Trimmed, `min` to `max` UTF-16 units, no
 * characters of the categories Cc and Cf, no line breaks, at least one visible character.
 */
export function displayName({ min, max }: { min: number; max: number }) {
  return z
    .string()
    .trim()
    .min(min)
    .max(max)
    .refine((name) => !invisibleControls.test(name), 'Must not contain control, formatting or line-breaking characters.')
    .refine(hasVisibleCharacter, 'Must contain at least one visible character.')
}
