import { z } from 'zod'

/** What a sign-in form sends. */
export const SignInForm = z.object({
  email: z
    .string()
    .min(1)
    .max(254)
    .regex(/^[^\0]*$/),
  password: z.string().min(1).max(200),
})

/** The same words for an unknown address and a wrong password. */
export const wrongCredentials = 'E-mail address or password is wrong.'

/** The same for every address, known or not. */
export function throttled(retryAfterSeconds: number): string {
  return `Too many attempts. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`
}
