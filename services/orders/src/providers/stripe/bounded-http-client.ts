import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type Stripe from 'stripe'

type HttpClient = NonNullable<Stripe.StripeConfig['httpClient']>
type MakeRequest = HttpClient['makeRequest']
type Response = Awaited<ReturnType<MakeRequest>>

/** The largest answer, a hundred events, is far below. */
const maxBodyBytes = 16 * 1024 * 1024

/** Code of the error for an answer that is larger. The library reports it as a failed connection. */
export const bodyTooLargeCode = 'ERR_BODY_TOO_LARGE'
/** Code by which the library recognizes a timeout. */
export const timeoutCode = 'ETIMEDOUT'

/**
 * HTTP client for the library. The library's own client limits the pauses of an answer, but neither its duration nor its size; here `timeout`
 * is the time until the answer is complete.
 */
export function createBoundedHttpClient(): HttpClient {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  return { getClientName: () => 'node', makeRequest }

  async function makeRequest(...[host, port, path, method, headers, requestData, protocol, timeout]: Parameters<MakeRequest>) {
    const signal = AbortSignal.timeout(timeout)
    const options = { host, port, path, method, headers, signal }
    try {
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        const request =
          protocol === 'http' ? requestHttp({ ...options, agent: agents.http }) : requestHttps({ ...options, agent: agents.https })
        request.once('response', resolve).once('error', reject).end(requestData)
      })
      return createResponse(message, await readBody(message))
    } catch (error) {
      throw signal.aborted ? Object.assign(new Error('The answer did not arrive in time', { cause: error }), { code: timeoutCode }) : error
    }
  }
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > maxBodyBytes) throw Object.assign(new Error('The answer is too large'), { code: bodyTooLargeCode })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function createResponse(message: IncomingMessage, body: string): Response {
  // Notices would be printed as warnings of the process, which are not log lines.
  const { 'stripe-notice': _, ...headers } = message.headers
  return {
    getStatusCode: () => message.statusCode ?? 0,
    getHeaders: () => headers as ReturnType<Response['getHeaders']>,
    getRawResponse: () => ({}),
    toStream: () => {
      throw new Error('Streams are not supported')
    },
    toJSON: async () => JSON.parse(body),
  }
}
