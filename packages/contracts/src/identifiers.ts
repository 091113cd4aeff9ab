import { z } from 'zod'

/** Every identifier in paths and bodies is a UUID version 4; another value is a 422, not a 404. */
export const Id = z.uuidv4()

/** Years 1 to 9999: what both PostgreSQL and RFC 3339 can write. */
export function isKeepableTime(text: string): boolean {
  const time = Date.parse(text)
  return time >= Date.parse('0001-01-01T00:00:00Z') && time < 253_402_300_800_000
}

/** RFC 3339 with offset, microseconds allowed. */
export const Timestamp = z.iso.datetime({ offset: true }).refine(isKeepableTime, 'Must be a time between the years 1 and 9999.')

/** The two timestamps every resource carries; `modified_at` is null until the first change. */
export const timestamps = { created_at: Timestamp, modified_at: Timestamp.nullable() }

/** A filter that takes one value or the parameter repeated (`a=1&a=2`). */
export function oneOrMany<T extends z.ZodType>(schema: T) {
  return z.union([schema, z.array(schema).max(100)]).optional()
}

/** Required with a user credential, refused with an organization credential. */
export const OrganizationIdInput = Id.nullish().describe('The organization, when the credential is a user’s; forbidden otherwise.')
