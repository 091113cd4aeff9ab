import { z } from 'zod'
import { isStorableTime, storableTimes } from './identifiers.ts'

/** Query parameters of every list. A `limit` above 100 is reduced to 100. */
export const pageRequest = {
  page: z.int().min(1).default(1).describe('Page, from 1.'),
  limit: z
    .int()
    .min(1)
    .default(10)
    .transform((limit) => Math.min(limit, 100))
    .describe('Items per page; at most 100.'),
}

/** The `pagination` object of a list. `max_page` is 0 if nothing matches. */
export const Pagination = z.object({ total_count: z.int().min(0), max_page: z.int().min(0) }).meta({ id: 'Pagination' })

/** The reply of a list operation. */
export function ListReply<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), pagination: Pagination })
}

/** Returns the schema of the `sorting` parameter: a property or `-property`, repeatable, applied in order. */
export function sorting<const P extends string>(properties: readonly P[], byDefault: P | `-${P}`) {
  const value = z.enum([...properties, ...properties.map((property) => `-${property}` as const)] as [P | `-${P}`, ...(P | `-${P}`)[]])
  return z
    .union([value, z.array(value).max(10)])
    .default([byDefault] as never)
    .transform((input) => (Array.isArray(input) ? input : [input]))
}

/** One part of a document that is too large for one reply, and the position of the next part; null after the last. */
export const DocumentPart = z.object({ text: z.string(), next: z.string().nullable() })
export type DocumentPart = z.infer<typeof DocumentPart>

/** Start of a part: time and id of the last row of the previous part; omitted for the first. */
export const after = z
  .templateLiteral([z.iso.datetime({ offset: true }), ' ', z.uuidv4()])
  .refine((text) => isStorableTime(text.split(' ')[0] ?? ''), `Must begin with ${storableTimes}.`)
  .nullish()
  .describe('Position to continue from; used by the gateway.')
