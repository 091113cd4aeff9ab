import { html, type Html } from '@quittance/pages/html'
import type { FastifyRequest } from 'fastify'
import { readText, type PageContext } from '../page/page-context.ts'

/** Reads the number of the page of a list from a parameter of the address. */
export function readPage({ query }: FastifyRequest, parameter: string): number {
  return Math.max(1, Math.min(1_000, Number.parseInt(readText(query, parameter) ?? '1', 10) || 1))
}

/** Returns the parameters of the address for these pages of its lists; first pages are omitted. */
export function toPageParameters(pages: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(pages).flatMap(([parameter, page]) => (page > 1 ? [[parameter, String(page)]] : [])))
}

/** A list of which a page of the portal shows a part. */
export interface PagedList {
  /** Address of the page, without parameters. */
  path: string
  /** Parameter with the number of the page of the list. */
  parameter: string
  page: number
  last: number
  /** Name of the list. */
  name: string
  /** Id of the heading of the list, to which the links move. */
  heading: string
  /** Pages of the other lists that the address has. */
  others?: Record<string, number>
  /** Texts of the links, if the list has its own: they name the list then. */
  texts?: { previous: string; next: string }
}

/** Renders the links to the previous and the next page of a list; null for a list with one page. */
export function pageLinks(list: PagedList, { words: { paging }, language }: PageContext): Html | null {
  const { path, parameter, page, last, name, heading, others = {}, texts } = list
  if (last < 2) return null
  const link = (to: number, text: string) => {
    const query = new URLSearchParams({ [parameter]: String(to), ...toPageParameters(others), locale: language }).toString()
    return html`<a href="${path}?${query}#${heading}" ${!texts && html`aria-label="${text}: ${name}"`}>${text}</a>`
  }
  const { previous, next } = texts ?? paging
  return html`<nav class="actions" aria-label="${name}">
    ${page > 1 && link(Math.min(page - 1, last), previous)}
    <span class="quiet">${paging.position(String(Math.min(page, last)), String(last))}</span>
    ${page < last && link(page + 1, next)}
  </nav>`
}
