import { z } from 'zod'

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
