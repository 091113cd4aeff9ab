import { z } from 'zod'

/** An integer amount in minor units of `currency` (cents for usd). */
export const Amount = z.int()

/** Lower-case ISO 4217 code. The June 2025 contract knows usd only. */
export const Currency = z.string().regex(/^[a-z]{3}$/, 'Must be a lower-case ISO 4217 code.')
