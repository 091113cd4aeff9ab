import { z } from 'zod'

/** A larger integer, such as an id of another system, would be stored as another one. */
const ExactNumber = z
  .number()
  .refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), 'Integers beyond 2^53 must be sent as text.')

/** Custom data of the caller: at most 50 keys of 1–40 characters; text values of 1–500 characters, numbers or booleans, never null. */
export const MetadataInput = z
  .record(z.string().min(1).max(40), z.union([z.string().min(1).max(500), ExactNumber, z.boolean()]))
  .refine((metadata) => Object.keys(metadata).length <= 50, 'At most 50 keys.')
  .meta({ id: 'MetadataInput' })

/** The same where clients can read integers only. */
export const MetadataWithIntegersInput = MetadataInput.refine(
  (metadata) => Object.values(metadata).every((value) => typeof value !== 'number' || Number.isInteger(value)),
  'Numbers must be integers; send others as text.',
).meta({ id: 'MetadataWithIntegersInput' })

/** Metadata as returned. */
export const Metadata = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({ id: 'Metadata' })
export type Metadata = z.infer<typeof Metadata>

/** `metadata[key]=value` in a query: repeated keys are combined with OR, different keys with AND; values are compared as text. */
export const MetadataFilter = z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional()
