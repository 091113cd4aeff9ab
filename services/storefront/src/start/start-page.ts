import { html, type Html } from '@quittance/pages/html'
import type { FastifyInstance } from 'fastify'
import { readPageContext, type AppOptions } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'
import type { Words } from '../words/all-words.ts'
import { readStartLinks, type StartLinks } from './start-links.ts'

/** Adds the page at the root: what runs here, and where to find the rest. */
export function addStartPage(app: FastifyInstance, { baseUrl, startLinksFile }: Pick<AppOptions, 'baseUrl' | 'startLinksFile'>): void {
  app.get('/', async (request, reply) => {
    const context = readPageContext(request)
    const { start } = context.words
    const links = await readStartLinks(startLinksFile)
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
        </section>
        ${demoLinks(start, links)}
      </div>`,
    })
  })
}

function demoLinks(start: Words['start'], { buy, portal, mailbox }: StartLinks): Html | null {
  const rows = [
    { url: buy, text: start.demoBuy },
    { url: portal, text: start.demoPortal },
    { url: mailbox, text: start.mailbox },
  ].filter(({ url }) => url !== null)
  if (rows.length === 0) return null
  return html`<section class="card stack-small">
    <h2>${start.demoTitle}</h2>
    <ul class="rows">
      ${rows.map(({ url, text }) => html`<li><a href="${url}">${text}</a></li>`)}
    </ul>
  </section>`
}
