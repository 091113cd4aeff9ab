import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { HttpBinding } from '@quittance/contracts/operation'
import { forward, type RawAnswer } from '@quittance/runtime/request'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary, compressed, encodingFor } from './compression.ts'
import { documentOf, wantsJson, type Part } from './document-parts.ts'

type Question = Parameters<typeof forward>

interface Begun {
  document: NonNullable<HttpBinding['document']>
  /** Its first part. */
  answer: RawAnswer
  /** What was asked for it; later parts are asked for with `after`. */
  question: Question
}

/** Sends a document of many parts while they are asked for. */
export function sendDocument({ document, answer, question }: Begun, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [connection, { body, ...rest }] = question
  const asked = JSON.parse(Buffer.from(body).toString()) as object
  const ask = async (after: string | null) => {
    const next = await forward(connection, { ...rest, body: Buffer.from(JSON.stringify({ ...asked, after })) })
    if (next.status !== null) throw new ServiceUnavailable('A part of the document could not be read.')
    return readPart(next)
  }
  const asJson = wantsJson(request.headers.accept)
  const encoding = encodingFor(request.headers['accept-encoding'])
  addVary(reply, 'Accept, Accept-Encoding')
  reply.headers({
    'content-type': asJson ? 'application/json' : document.contentType,
    'content-disposition': `attachment; filename="${document.fileName}"`,
    'cache-control': 'private, no-cache',
  })
  const source = documentOf({ first: readPart(answer), ask, asJson })
  return encoding ? reply.header('content-encoding', encoding).send(compressed(source, encoding)) : reply.send(source)
}

function readPart({ body }: RawAnswer): Part {
  return JSON.parse(Buffer.from(body).toString())
}
