import { z } from 'zod'

/**
 * UUID version 4. Every identifier in paths and bodies is one; another value is a 422, not a 404. Upper case is accepted (RFC 9562 §4) and
 * becomes lower case, as ids are stored and compared.
 */
export const Id = z.uuidv4().toLowerCase()

/** The seller's id of a customer, to find one. */
export const ExternalId = z.string().min(1).max(200)

/** The same, to assign it. Clients of HTTP remove the segments `.` and `..` from a path, also if their dots are encoded (WHATWG URL). */
export const NewExternalId = ExternalId.refine(
  (id) => id !== '.' && id !== '..',
  'Must be neither "." nor "..", which no URL can name.',
).meta({
  description: 'Neither "." nor "..", which no URL can name.',
})

/** The longest time that PostgreSQL reads; RFC 3339 allows any number of digits in a fraction. */
const maxTimeLength = 149

/** What `isStorableTime` accepts, for error details. */
export const storableTimes = `a time between the years 1 and 9999 with an offset of at most 15:59, in at most ${maxTimeLength} characters`

/**
 * Whether a time is in the years 1 to 9999, the range of both PostgreSQL and RFC 3339, its offset is below 16 hours and PostgreSQL reads its
 * length: PostgreSQL rejects larger offsets, which RFC 3339 allows.
 */
export function isStorableTime(text: string): boolean {
  const time = Date.parse(text)
  const isInRange = time >= Date.parse('0001-01-01T00:00:00Z') && time < 253_402_300_800_000
  return isInRange && text.length <= maxTimeLength && !/[+-](1[6-9]|2\d):\d\d$/.test(text)
}

/** RFC 3339 with offset, microseconds allowed. */
export const Timestamp = z.iso
  .datetime({ offset: true, error: 'Must be a time with its offset from UTC, such as 2026-12-01T00:00:00Z (RFC 3339).' })
  .refine(isStorableTime, `Must be ${storableTimes}.`)

/** Domains are sent as they are to mail servers, which often accept ASCII only (RFC 6531 is optional). */
const isAscii = (text: string) => /^[\u0021-\u007e]*$/.test(text)

/** An e-mail address of at most 254 characters (RFC 5321 §4.5.3.1.3), in ASCII: a domain of other scripts in its `xn--` form. */
export const EmailAddress = z
  .email({
    error: ({ input }) =>
      typeof input === 'string' && !isAscii(input)
        ? 'Must be an e-mail address in ASCII; a domain of other scripts in its xn-- form.'
        : 'Invalid email address',
  })
  .max(254)

/** The two timestamps of every resource; `modified_at` is null until the first change. */
export const timestamps = { created_at: Timestamp, modified_at: Timestamp.nullable() }

/** Returns the schema of a filter that accepts one value or the repeated parameter (`a=1&a=2`). */
export function oneOrMany<T extends z.ZodType>(schema: T) {
  return z.union([schema, z.array(schema).max(100)]).optional()
}

/** Filters of lists by customer: by id, or by the id that the seller gave. */
export const customerFilters = { customer_id: oneOrMany(Id), external_customer_id: oneOrMany(z.string().max(200)) }

/** Required with a user credential without a `Polar-Organization` header, rejected with an organization credential. */
export const OrganizationIdInput = Id.nullish().describe(
  'The organization. Required with a user credential, unless the `Polar-Organization` header names it; forbidden otherwise.',
)
