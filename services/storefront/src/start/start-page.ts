import { html } from '@quittance/pages/html'
import type { FastifyInstance } from 'fastify'
import { readPageContext, type AppOptions } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'

/** Adds the page at the root: what runs here, and where to find the rest. */
export function addStartPage(app: FastifyInstance, { baseUrl }: Pick<AppOptions, 'baseUrl'>): void {
  app.get('/', (request, reply) => {
    const context = readPageContext(request)
    const { start } = context.words
    return sendPage(reply, {
      context,
      title: start.title,
      brand: 'Quittance',
      body: html`<div class="middle stack-large">
        <div class="stack">
          <h1>${start.title}</h1>
          <p>${start.lead}</p>
        </div>
        <section class="card stack-small">
          <h2>${start.buyerTitle}</h2>
          <p>${start.buyer}</p>
        </section>
        <section class="card stack-small">
          <h2>${start.sellerTitle}</h2>
          <ul class="rows">
            <li><a href="${baseUrl}/docs">${start.docs}</a></li>
            <li><a href="${baseUrl}/openapi.json">${start.openapi}</a></li>
            <li><a href="${baseUrl}/oauth2/account">${start.account}</a></li>
          </ul>
          <p class="quiet">${start.demo}</p>
        </section>
      </div>`,
    })
  })
}
