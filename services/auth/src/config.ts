import { z } from 'zod'

/** Nothing of its own yet; what every service reads is in the runtime. */
export const AuthConfig = z.object({})
