import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A cookie with a sealed value, which is sent to one path and below it only. */
export interface SealedCookie {
  name: 'qt_sale' | 'qt_portal' | 'qt_portal_new' | 'qt_portal_return' | 'qt_pay' | 'qt_setup' | 'qt_sign_in' | 'qt_email_update'
  path: string
}

/** Reads and writes sealed cookies. */
export interface CookieSealer {
  /** Returns the value; null if the cookie is missing, was sealed with another key or belongs to another path. */
  read(request: FastifyRequest, cookie: SealedCookie): string | null
  write(reply: FastifyReply, cookie: SealedCookie & { value: string; maxAgeSeconds: number }): void
  clear(reply: FastifyReply, cookie: SealedCookie): void
  /** Seals a value as in the cookie, for frames of other sites, which get no cookies. */
  seal(value: string, cookie: SealedCookie): string
  /** Returns a sealed value; null if it was sealed for another cookie. */
  open(sealed: string, cookie: SealedCookie): string | null
}

/** Creates cookies that scripts cannot read and other sites cannot send. The prefix makes browsers insist on https. */
export function createCookieSealer({ keys, isSecure }: { keys: readonly Uint8Array[]; isSecure: boolean }): CookieSealer {
  const prefix = isSecure ? '__Secure-' : ''
  const attributes = `HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  // A value sealed for one path cannot be moved to another.
  const contextFor = ({ name, path }: SealedCookie) => `quittance storefront: ${name} ${path}`
  const set = (reply: FastifyReply, { name, path }: SealedCookie, rest: string) =>
    reply.header('set-cookie', `${prefix}${name}=${rest}; Path=${path}; ${attributes}`)
  const open = (sealed: string, cookie: SealedCookie) => {
    try {
      return openSecret(sealed, { keys, context: contextFor(cookie) })
    } catch {
      // Another path, an earlier key or a planted value: none of them is a session here.
      return null
    }
  }
  const seal = (value: string, cookie: SealedCookie) => sealSecret(value, { keys, context: contextFor(cookie) })
  return {
    open,
    seal,
    read(request, cookie) {
      for (const value of readCookies(request, `${prefix}${cookie.name}`)) {
        const opened = open(value, cookie)
        if (opened !== null) return opened
      }
      return null
    },
    write(reply, { value, maxAgeSeconds, ...cookie }) {
      set(reply, cookie, `${seal(value, cookie)}; Max-Age=${maxAgeSeconds}`)
    },
    clear: (reply, cookie) => void set(reply, cookie, '; Max-Age=0'),
  }
}

/** Returns every value of a name: browsers send one per path, and a planted one may come first. */
function readCookies({ headers: { cookie } }: FastifyRequest, name: string): string[] {
  return (cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}
