import { z } from 'zod'
import { countries, findSubdivisions } from './countries.ts'
import { withoutControls } from './printed-text.ts'

const line = withoutControls(z.string().max(250))
  .nullish()
  .transform((text) => text?.trim() || null)

/** A billing address as stored and returned: blank lines are null; US and CA states are ISO 3166-2 codes. */
export const Address = z
  .object({
    line1: z.string().nullable(),
    line2: z.string().nullable(),
    postal_code: z.string().nullable(),
    city: z.string().nullable(),
    state: z.string().nullable(),
    country: z.string().length(2),
  })
  .meta({ id: 'Address' })
export type Address = z.infer<typeof Address>

/** A billing address as sent by a client; parsing returns an `Address`. */
export const AddressInput = z
  .object({
    line1: line,
    line2: line,
    postal_code: line,
    city: line,
    state: line,
    country: z.string().regex(/^[A-Za-z]{2}$/, 'Must be an ISO 3166-1 alpha-2 code.'),
  })
  .transform((input, ctx): Address => {
    const country = input.country.toUpperCase()
    if (!countries.has(country)) ctx.addIssue({ code: 'custom', path: ['country'], message: 'Must be an ISO 3166-1 alpha-2 code.' })
    const known = findSubdivisions(country)
    if (!known || input.state === null) return { ...input, country }
    const state = input.state.toUpperCase().startsWith(`${country}-`)
      ? input.state.toUpperCase()
      : `${country}-${input.state.toUpperCase()}`
    if (!known.has(state)) ctx.addIssue({ code: 'custom', path: ['state'], message: 'Must be a state or province of the country.' })
    return { ...input, country, state }
  })
  .meta({ id: 'AddressInput' })
