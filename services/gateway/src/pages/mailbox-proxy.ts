import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { FastifyInstance } from 'fastify'
import { addProxy, type ProxyRoute } from '../http/proxy.ts'
import type { Upstream } from '../http/upstream.ts'

interface MailboxProxyOptions {
  upstream: Upstream
  baseUrl: string
}

/**
 * Proxies the local mailbox. It answers on the host of the public address only: a page elsewhere that resolves its name to this machine would
 * otherwise read codes.
 */
export function addMailboxProxy(app: FastifyInstance, { upstream, baseUrl }: MailboxProxyOptions): void {
  const { host } = new URL(baseUrl)
  const route = (url: string): ProxyRoute => ({
    url,
    methods: ['GET', 'HEAD'],
    publicUrl: baseUrl,
    accepts: (request) => request.headers.host === host,
  })
  const unavailable = { status: 503, description: 'The mail service is not running.' }
  addProxy(app, {
    routes: [route('/mailbox'), route('/mailbox/*')],
    upstream,
    unavailable,
    sendFailure(reply, { status, description }) {
      if (status === unavailable.status) throw new ServiceUnavailable(description)
      return reply
        .code(status)
        .type('application/json')
        .send(JSON.stringify({ error: 'BadRequest', detail: description }))
    },
  })
}
