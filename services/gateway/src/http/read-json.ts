import { isUtf8 } from 'node:buffer'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { FastifyInstance } from 'fastify'
import { unreadableBody } from './errors.ts'

/** JSON and nothing else; an empty body is no body. */
export function readJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseBody(body as Buffer))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
}

/** Text in which a number may be too large to be one. */
const suspicious = /[eE]\+?\d{3}|\d{200}/

/** What would reach the owner as something else is refused: broken text, and numbers beyond every number, which JSON writes as null. */
function parseBody(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw unreadableBody('The body is not UTF-8.', 'json_invalid')
  const text = body.toString()
  const parsed = parse(text)
  if (suspicious.test(text)) refuseInfinite(parsed, ['body'])
  return parsed
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadableBody('The body is not valid JSON.', 'json_invalid')
  }
}

function refuseInfinite(value: unknown, loc: (string | number)[]): void {
  if (value === Infinity || value === -Infinity) {
    throw new RequestValidationError([{ loc, msg: 'Must be a finite number.', type: 'finite_number' }])
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) refuseInfinite(inner, [...loc, Array.isArray(value) ? Number(key) : key])
}
