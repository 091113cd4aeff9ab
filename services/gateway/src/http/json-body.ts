import { isUtf8 } from 'node:buffer'
import { BadRequest, RequestValidationError } from '@quittance/contracts/errors'
import type { FastifyInstance } from 'fastify'
import { createBodyError } from './errors.ts'

/** Accepts only JSON; an empty body counts as no body. */
export function addJsonParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseBody(body as Buffer))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
}

/** Matches text in which a number may overflow. */
const oversizedNumber = /[eE]\+?\d{3}|\d{200}/

/** Rejects values that would reach the owner changed: invalid UTF-8, and infinite numbers, which JSON serializes as null. */
function parseBody(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw createBodyError('The body is not UTF-8.', 'json_invalid')
  const text = body.toString()
  assertDepth(body)
  const parsed = parse(text)
  if (oversizedNumber.test(text)) assertFinite(parsed, ['body'])
  return parsed
}

/** No request of the contract is nested half as deep. */
const maxDepth = 64

/** Counts brackets outside of strings, before anything recursive reads the value. Bytes of multibyte characters match none of these. */
function assertDepth(body: Buffer): void {
  let depth = 0
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]
    if (byte === quote) index = endOfString(body, index)
    else if (byte === openBracket || byte === openBrace) depth += 1
    else if (byte === closeBracket || byte === closeBrace) depth -= 1
    if (depth > maxDepth) throw new BadRequest(`The body is nested deeper than ${maxDepth} levels.`)
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('"\\[]{}')

/** Returns the index of the closing quote. */
function endOfString(body: Buffer, start: number): number {
  for (let index = start + 1; index < body.length; index++) {
    const byte = body[index]
    if (byte === backslash) index += 1
    else if (byte === quote) return index
  }
  return body.length
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw createBodyError('The body is not valid JSON.', 'json_invalid')
  }
}

function assertFinite(value: unknown, loc: (string | number)[]): void {
  if (value === Infinity || value === -Infinity) {
    throw new RequestValidationError([{ loc, msg: 'Must be a finite number.', type: 'finite_number' }])
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) assertFinite(inner, [...loc, Array.isArray(value) ? Number(key) : key])
}
