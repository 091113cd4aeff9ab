import { z } from 'zod'

/** Returns the remainder of the check digits of ISO 7064 MOD 97-10: 1 if a text with its check digits is valid. */
export function computeMod97(text: string): number {
  let remainder = 0
  for (const character of text) {
    const value = parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder
}

/** Returns a text with its first four characters at the end, which is how check digits are computed. */
export function rotateCheckDigits(text: string): string {
  return text.slice(4) + text.slice(0, 4)
}

const removeSpaces = (text: string) => text.replace(/\s/g, '').toUpperCase()

/** International bank account number by ISO 13616, written with or without spaces; its check digits are verified. */
export const Iban = z
  .string()
  .max(42)
  .overwrite(removeSpaces)
  .regex(/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/, 'Must be an IBAN.')
  .refine((text) => computeMod97(rotateCheckDigits(text)) === 1, 'The check digits of the IBAN are wrong.')
  .meta({ example: 'DE89370400440532013000' })

/** Business identifier code by ISO 9362. */
export const Bic = z
  .string()
  .max(11)
  .overwrite(removeSpaces)
  .regex(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'Must be a BIC of 8 or 11 characters.')
  .meta({ example: 'COBADEFFXXX' })

/** Returns an IBAN in groups of four characters, as people read and type it (ISO 13616). */
export function formatIban(iban: string): string {
  return iban.replaceAll(/(.{4})(?=.)/g, '$1 ')
}
