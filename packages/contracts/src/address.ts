import { z } from 'zod'

const line = z
  .string()
  .max(250)
  .nullish()
  .transform((text) => text?.trim() || null)

const usStates =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC'
const caProvinces = 'AB BC MB NB NL NS ON PE QC SK'
const subdivisions: Record<string, ReadonlySet<string>> = {
  US: new Set(usStates.split(' ').map((state) => `US-${state}`)),
  CA: new Set(caProvinces.split(' ').map((province) => `CA-${province}`)),
}

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
    const subdivisionCodes = subdivisions[country]
    if (!subdivisionCodes || input.state === null) return { ...input, country }
    const state = input.state.toUpperCase().startsWith(`${country}-`)
      ? input.state.toUpperCase()
      : `${country}-${input.state.toUpperCase()}`
    if (!subdivisionCodes.has(state))
      ctx.addIssue({ code: 'custom', path: ['state'], message: 'Must be a state or province of the country.' })
    return { ...input, country, state }
  })
  .meta({ id: 'AddressInput' })
