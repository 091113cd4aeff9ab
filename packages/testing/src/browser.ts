/**
 * A browser without scripts: follows redirects, stores cookies by host and path, posts forms. Redirects to other sites are reported, not
 * followed.
 */
export interface Browser {
  get(url: string, headers?: Record<string, string>): Promise<PageVisit>
  post(url: string, fields: Record<string, string>): Promise<PageVisit>
  /** Submits the form whose action ends with `actionEnding`, with its hidden fields and these. */
  submit(visit: PageVisit, fields: Record<string, string>, actionEnding?: string): Promise<PageVisit>
  /** Returns all cookies. */
  cookies(): readonly BrowserCookie[]
}

/** Final location of the browser: a page, or a URL of another site. */
export interface PageVisit {
  url: URL
  status: number
  headers: Headers
  body: string
}

export interface BrowserCookie {
  name: string
  value: string
  host: string
  path: string
  /** Attributes as set, in lower case. */
  attributes: readonly string[]
}

/** Creates a browser. It visits `origins`; a redirect elsewhere ends the visit. `always` is sent with every request. */
export function createBrowser(origins: readonly string[], defaultHeaders: Record<string, string> = {}): Browser {
  let jar: BrowserCookie[] = []

  async function visit(url: URL, init: RequestInit): Promise<PageVisit> {
    const headers = new Headers({ ...defaultHeaders, ...(init.headers as Record<string, string> | undefined) })
    if (!headers.has('accept')) headers.set('accept', 'text/html')
    const cookie = jar.filter((each) => isSentTo(each, url)).map(({ name, value }) => `${name}=${value}`)
    if (cookie.length > 0) headers.set('cookie', cookie.join('; '))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) storeCookie(line, url)
    const body = await response.text()
    const location = response.headers.get('location')
    if (location === null) return { url, status: response.status, headers: response.headers, body }
    const next = new URL(location, url)
    if (origins.includes(next.origin)) return visit(next, { headers: { accept: 'text/html' } })
    return { url: next, status: response.status, headers: response.headers, body }
  }

  function storeCookie(line: string, { hostname: host }: URL): void {
    const [pair = '', ...rest] = line.split(';').map((part) => part.trim())
    const attributes = rest.map((attribute) => attribute.toLowerCase())
    const name = pair.slice(0, pair.indexOf('='))
    const path = attributes.find((attribute) => attribute.startsWith('path='))?.slice('path='.length) ?? '/'
    jar = jar.filter((each) => each.name !== name || each.path !== path || each.host !== host)
    const isExpired = attributes.some((attribute) => attribute.startsWith('expires=thu, 01 jan 1970'))
    if (!isExpired) jar.push({ name, value: pair.slice(name.length + 1), host, path, attributes })
  }

  const post = (url: string | URL, fields: URLSearchParams) =>
    visit(new URL(url), {
      method: 'POST',
      body: fields.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

  return {
    get: (url, headers) => visit(new URL(url), headers ? { headers } : {}),
    post: (url, fields) => post(url, new URLSearchParams(fields)),
    submit(from, fields, actionEnding = '') {
      const form = readForms(from).find(({ action }) => action.endsWith(actionEnding))
      if (!form) throw new Error(`No form on ${from.url.href} (${from.status}):\n${from.body.slice(from.body.indexOf('<main'))}`)
      const hidden = form.hidden.filter(([name]) => !(name in fields))
      return post(new URL(form.action, from.url), new URLSearchParams([...hidden, ...Object.entries(fields)]))
    },
    cookies: () => jar,
  }
}

/** Paths are compared in lower case, because attributes are stored in lower case; the paths of these tests differ in more than case. */
function isSentTo({ host, path }: BrowserCookie, { hostname, pathname }: URL): boolean {
  const requestPath = pathname.toLowerCase()
  return host === hostname && (requestPath === path || requestPath.startsWith(path.endsWith('/') ? path : `${path}/`))
}

interface Form {
  action: string
  hidden: [string, string][]
}

function readForms({ body }: PageVisit): Form[] {
  return [...body.matchAll(/<form\b[^>]*\baction="([^"]+)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', inner = '']) => ({
    action: unescape(action),
    hidden: [...inner.matchAll(/<input\b[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      unescape(value),
    ]),
  }))
}

function unescape(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))).replaceAll('&amp;', '&')
}
