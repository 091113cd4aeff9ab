import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A cookie with a sealed value, which is sent to one path and below it only. */
export interface SealedCookie {
  name: 'qt_sale' | 'qt_portal' | 'qt_portal_new'
  path: string
}

/** Reads and writes sealed cookies. */
export interface CookieSealer {
  /** Returns the value; null if the cookie is missing, was sealed with another key or belongs to another path. */
  read(request: FastifyRequest, cookie: SealedCookie): string | null
  write(reply: FastifyReply, cookie: SealedCookie & { value: string; maxAgeSeconds: number }): void
  clear(reply: FastifyReply, cookie: SealedCookie): void
}

/** Creates cookies that scripts cannot read and other sites cannot send. The prefix makes browsers insist on https. */
export function createCookieSealer({ keys, isSecure }: { keys: readonly Uint8Array[]; isSecure: boolean }): CookieSealer {
  const prefix = isSecure ? '__Secure-' : ''
  const attributes = `HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  // A value sealed for one path cannot be moved to another.
  const contextFor = ({ name, path }: SealedCookie) => `quittance storefront: ${name} ${path}`
  const set = (reply: FastifyReply, { name, path }: SealedCookie, rest: string) =>
    reply.header('set-cookie', `${prefix}${name}=${rest}; Path=${path}; ${attributes}`)
  return {
    read(request, cookie) {
      for (const value of readCookies(request, `${prefix}${cookie.name}`)) {
        try {
          return openSecret(value, { keys, context: contextFor(cookie) })
        } catch {
          // Another path, an earlier key or a planted value: none of them is a session here.
        }
      }
      return null
    },
    write(reply, { value, maxAgeSeconds, ...cookie }) {
      set(reply, cookie, `${sealSecret(value, { keys, context: contextFor(cookie) })}; Max-Age=${maxAgeSeconds}`)
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
