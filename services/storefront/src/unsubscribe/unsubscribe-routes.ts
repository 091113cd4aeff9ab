import { createMailOptOut } from '@quittance/contracts/mails'
import { html } from '@quittance/pages/html'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendNotice } from '../page/notice-page.ts'
import { readPageContext, type AppOptions } from '../page/page-context.ts'

interface TokenRoute {
  Params: { token: string }
}

const maxBodyBytes = 16 * 1024

const path = '/unsubscribe/:token(^qt_un_[\\w-]+$)'

/** Adds the page that stops optional mails. A visit changes nothing: programs open the links of mails. */
export function addUnsubscribeRoutes(app: FastifyInstance, { api }: AppOptions): void {
  app.get<TokenRoute>(path, async (request, reply) => {
    const context = readPageContext(request)
    const { reminder } = context.words
    return sendNotice(reply, {
      context,
      title: reminder.title,
      body: html`<p>${reminder.text}</p>
        <form method="post">
          <input type="hidden" name="locale" value="${context.language}" />
          <p class="actions"><button class="button primary">${reminder.stop}</button></p>
        </form>`,
    })
  })

  // Mail programs send the one-click request of RFC 8058 themselves, so it comes from no page. The token is the permission.
  app.register(async (scope) => {
    // Its body is multipart or urlencoded (§3.2), and contains nothing that the address does not.
    scope.addContentTypeParser('multipart/form-data', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, _body, done) =>
      done(null, {}),
    )
    scope.post<TokenRoute>(path, { config: { isOneClick: true } }, async (request: FastifyRequest<TokenRoute>, reply) => {
      const context = readPageContext(request)
      await api.call(createMailOptOut, { token: request.params.token }, { visitor: context.visitor })
      const { reminder } = context.words
      return sendNotice(reply, { context, title: reminder.stoppedTitle, body: html`<p>${reminder.stopped}</p>` })
    })
  })
}
