import { html, type Html } from '@quittance/pages/html'
import type { InlineAsset } from '@quittance/pages/layout'
import type { FastifyReply } from 'fastify'
import type { PageContext } from './page-context.ts'
import { sendPage, type StorefrontPage } from './send-page.ts'

interface Notice extends Pick<StorefrontPage, 'script' | 'frame' | 'frameAncestor'> {
  /** Default 200. */
  status?: number
  context: PageContext
  title: string
  /** Default: the product, where no seller is known. */
  brand?: string
  /** What follows the title. */
  body: Html
}

/** Sends a page with one card: a title, and what the visitor has to know or do. */
export function sendNotice(
  reply: FastifyReply,
  { status = 200, context, title, brand = 'Quittance', body, ...framed }: Notice,
): FastifyReply {
  return sendPage(reply, {
    status,
    context,
    title,
    brand,
    ...framed,
    body: html`<div class="card narrow stack">
      <h1>${title}</h1>
      ${body}
    </div>`,
  })
}

/** Lets any site show a notice in its frame, where it was asked for: it has no data, and without it the frame would be an error of the browser. */
export function frameAnywhere({ embedding }: PageContext, script: InlineAsset): Pick<Notice, 'script' | 'frame' | 'frameAncestor'> {
  if (!embedding) return {}
  return { script, frame: { origin: '*', events: embedding.reported ? [] : ['loaded'], success: null }, frameAncestor: '*' }
}

interface Fault {
  status: number
  context: PageContext
  /** Reports to the site around a frame; without it the page is in no frame. */
  frameScript?: InlineAsset
  title: keyof PageContext['words']['faults']
  sentence: keyof PageContext['words']['faults']
}

/** Sends a page about a request that failed. */
export function sendFault(reply: FastifyReply, { status, context, frameScript, title, sentence }: Fault): FastifyReply {
  const { faults } = context.words
  const framed = frameScript ? frameAnywhere(context, frameScript) : {}
  return sendNotice(reply, { status, context, title: faults[title], body: html`<p>${faults[sentence]}</p>`, ...framed })
}
